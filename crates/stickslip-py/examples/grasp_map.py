"""Where a gripper can grasp a gear: a small map of the built-in scene, kept in files, gone on with after a stop.

The built-in study `grasp-map` is the whole one: 26,460 trials, `stickslip.Study.load("grasp-map").run(out="grasp")`.
"""

import tempfile
from pathlib import Path

import stickslip

STUDY = """
[study]
name = "small-grasp-map"
description = "how far a gear turns in a gripper that closes on it, with unknown friction"
kind = "sweep"
scene = "gear-grasp"
seed = 1
[parameters]
x = { grid = { from = -0.005, to = 0.005, count = 2 } }    # m
y = { grid = { from = -0.015, to = -0.005, count = 2 } }   # m
jaw = { uniform = [0.33, 0.99] }
[trials]
repeats = 2
chunk = 2
[quantities]
turn = { end = "gear.angle" }                              # rad
[outcomes]
turned = "abs(turn) > 0.01"
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.toml"
        file.write_text(STUDY)
        study = stickslip.Study.load(file)
        study.run(out=Path(folder) / "map", trials=(0, 4))
        summary = study.run(out=Path(folder) / "map", resume=True)
    turned = summary["outcomes"]["turned"]
    print(f"{study!r}\n{summary['trials']} trials; the gear turns with probability {turned['probability']}")
    assert summary["trials"] == 8 and summary["failed"] == 0


if __name__ == "__main__":
    main()
