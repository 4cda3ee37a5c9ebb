"""What Python adds to a step of `slide-to-roll`: one call per step against one call for all. Next to mujoco.mj_step, if it is there.

    python crates/stickslip-py/benches/overhead.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import stickslip

STEPS = 20_000


def best(works: dict[str, Callable[[], object]], repeats: int = 7) -> dict[str, tuple[float, float]]:
    """Least and median processor time, µs per step; all in turn, so that a busy machine is as busy for each."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            start = time.process_time()
            work()
            times[name].append((time.process_time() - start) / STEPS * 1e6)
    return {name: (min(t), statistics.median(t)) for name, t in times.items()}


def mujoco_steps() -> Callable[[], None] | None:
    """The same sphere on the same floor."""
    try:
        import mujoco  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        print("mujoco is not installed")
        return None
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="100 100 1" friction="0.2"/>'
        '<body pos="0 0 1"><freejoint/><geom type="sphere" size="1" mass="1" friction="0.2"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qvel[0] = 2.0

    def steps() -> None:
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return steps


def main() -> None:
    scene = stickslip.Scene.load("slide-to-roll", step=1e-3)
    simulation = scene.simulation()
    force = np.zeros(len(scene.velocity_names))

    def one_by_one() -> None:
        for _ in range(STEPS):
            simulation.step()

    def pushed() -> None:
        for _ in range(STEPS):
            simulation.step(force)

    works: dict[str, Callable[[], object]] = {
        f"{STEPS} steps in one call": lambda: simulation.step(steps=STEPS),
        "one call per step": one_by_one,
        "with a force as an array": pushed,
        "run()": lambda: scene.run(until=STEPS * 1e-3, every=STEPS),
    }
    theirs = mujoco_steps()
    if theirs is not None:
        works["mujoco.mj_step"] = theirs
    found = best(works)
    whole = found[f"{STEPS} steps in one call"][0]
    for name, (least, median) in found.items():
        print(f"{name + ':':<26}{least:7.2f} µs a step (median {median:.2f}), {least - whole:+.2f}")


if __name__ == "__main__":
    main()
