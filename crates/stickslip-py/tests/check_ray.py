"""The check of Ray at full size: `crates/stickslip-py/test-ray check` runs it.

`grasp-map` with 2000 trials on two nodes of loopback; a worker is killed, then the driver, then it is resumed; the files are
compared with those of a local sweep.
"""

import re
import sys
import tempfile
import time
import warnings
from pathlib import Path

from ray_nodes import shards, start_nodes, survive
from stickslip import NotCertifiedWarning, Study

# 10 x 10 places, two levels of friction, 10 trials each
CHANGES = {r"(from = -0.010, to = 0.010, count = )21": r"\g<1>10", r"(from = -0.020, to = 0, count = )21": r"\g<1>10"}
CHANGES |= {r"repeats = 30": "repeats = 10", r"chunk = 126": "chunk = 25"}


def grasp_map() -> str:
    """The text of the study, with fewer places and trials."""
    text = (Path(__file__).parents[3] / "studies" / "grasp-map.toml").read_text()
    for pattern, new in CHANGES.items():
        text, count = re.subn(pattern, new, text)
        assert count == 1, pattern
    return text


def main() -> int:
    # whether the trials are certified is not the question here, but it is said
    warnings.simplefilter("ignore", NotCertifiedWarning)
    with tempfile.TemporaryDirectory() as folder:
        file, local, on_ray = Path(folder) / "grasp.toml", Path(folder) / "local", Path(folder) / "on-ray"
        file.write_text(grasp_map())
        begin = time.monotonic()
        summary = Study.load(file).run(out=local)
        print(f"local: {summary['trials']} trials ({summary['uncertified']} not certified) in {time.monotonic() - begin:.1f} s", flush=True)
        cluster = start_nodes(folder)
        try:
            begin = time.monotonic()
            print(survive(cluster, file, on_ray, 80), flush=True)
            print(f"on Ray, with both deaths: {time.monotonic() - begin:.1f} s")
        finally:
            cluster.shutdown()
        again = Study.load(file).run(out=on_ray, resume=True)
        same = shards(on_ray) == shards(local) and again == summary
        size = sum(len(bytes) for bytes in shards(local).values())
        print(f"{len(shards(local))} shards, {size} bytes: {'the same' if same else 'NOT THE SAME'} on both")
        return 0 if same and summary["trials"] == 2000 else 1


if __name__ == "__main__":
    sys.exit(main())
