"""What many machines cost besides the physics: `crates/stickslip-py/test-ray costs`.

Trials of `grasp-map` that end after one step: bytes of a trial by the size of chunks; what a worker does for a chunk before and
after its trials, in directories of few and of many files; what begins and sums up a sweep; what a chunk and what a request
of a design cost the driver, on a cluster of one core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from check_ray import grasp_map  # noqa: E402

from stickslip import Study, _stickslip, on_ray  # noqa: E402


def short(trials: int, chunk: int) -> str:
    """So many trials of one step."""
    text = grasp_map().replace("values = [0.33, 0.66]", "values = [0.66]").replace("count = 10", "count = 2")
    text = text.replace("repeats = 10", f"repeats = {trials // 4}").replace("chunk = 25", f"chunk = {chunk}")
    return text.replace("[parameters]", '[set]\n"simulation.until" = 1e-3\n"simulation.step" = 1e-3\n[parameters]')


def write(folder: Path, text: str) -> Path:
    file = folder / "study.toml"
    file.write_text(text)
    return file


def sizes(folder: Path) -> None:
    """Bytes of a trial."""
    for chunk in (12, 100, 1000, 5000):
        file, out = write(folder, short(chunk, chunk)), folder / f"sizes-{chunk}"
        begin = time.monotonic()
        Study.load(file).run(out=out)
        seconds = time.monotonic() - begin
        size = sum(f.stat().st_size for f in out.glob("trials-*.parquet"))
        print(f"chunk of {chunk}: {size / chunk:.0f} bytes a trial ({1e3 * seconds / chunk:.2f} ms a trial, all included)")


def directories(folder: Path) -> None:
    """A chunk of one trial where others are, from few to many; and the whole sweep again."""
    count = 3000
    file, out = write(folder, short(count, 1)), folder / "many"
    _stickslip.sweep_left(str(file), out, False)
    done = 0
    for there in (10, count - 20):
        _stickslip.sweep_shards(str(file), out, (done, there), 2)
        begin = time.monotonic()
        for k in range(20):
            _stickslip.sweep_shards(str(file), out, (there + k, there + k + 1), 1)
        done = there + 20
        print(f"with {there} files there: {1e3 * (time.monotonic() - begin) / 20:.2f} ms of a worker for a chunk of one trial")
    begin = time.monotonic()
    left = _stickslip.sweep_left(str(file), out, True)
    print(f"looking through {count} files for what is left ({len(left)}): {time.monotonic() - begin:.2f} s")
    begin = time.monotonic()
    Study.load(file).run(out=out, resume=True)
    print(f"summing up {count} files of one trial: {time.monotonic() - begin:.2f} s")
    file, out = write(folder, short(20000, 2000)), folder / "large"
    Study.load(file).run(out=out)
    begin = time.monotonic()
    Study.load(file).run(out=out, resume=True)
    print(f"summing up 10 files of 2000 trials: {time.monotonic() - begin:.2f} s")


DESIGN = """[study]
name = "cheap"
description = "evaluations of one step"
kind = "design"
scene = "conveyor"
[set]
"simulation.step" = 1e-3
"simulation.until" = 1e-3
[parameters]
friction = { start = 0.6, lower = 0.25, upper = 1.0 }
load = { start = 1, lower = 0.5, upper = 2, sets = "body.box.mass" }
[quantities]
speed_then = { end = "box.vx" }
[design]
objective = "(friction - 0.3)^2 + (load - 0.7)^2 + 0*speed_then"
evaluations = 1000
tolerance = 1e-9
restarts = 20
"""


def driver(folder: Path) -> None:
    """Chunks of one trial through Ray, and requests of a design."""
    import ray  # type: ignore[import-not-found, import-untyped, unused-ignore]

    count = 500
    file, out = write(folder, short(count, 1)), folder / "chunks"
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    try:
        begin, own = time.monotonic(), time.process_time()
        assert on_ray.sweep_on_ray(file, out) == count
        wall, own = time.monotonic() - begin, time.process_time() - own
        print(f"{count} chunks of one trial on one worker: {1e3 * wall / count:.2f} ms each, {1e3 * own / count:.2f} ms of it the driver's")
        address = ray.get_runtime_context().gcs_address
        file = folder / "design.toml"
        file.write_text(DESIGN)
        command = [sys.executable, "-m", "stickslip.command", "design", str(file), "--json", "--engine", "ray", "--address", address]
        times = []
        for evaluations in (10, 1000):
            begin = time.monotonic()
            done = subprocess.run([*command, "--evaluations", str(evaluations)], capture_output=True, text=True, check=True)
            times.append((json.loads(done.stdout)["evaluations"], time.monotonic() - begin))
        (few, short_time), (many, long_time) = times
        print(f"a design: {short_time:.1f} s for {few} evaluations, {1e3 * (long_time - short_time) / (many - few):.2f} ms for each of {many - few} more")
    finally:
        ray.shutdown()


def main() -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": name, "RAY_USAGE_STATS_ENABLED": "0"}
        sizes(Path(name))
        directories(Path(name))
        driver(Path(name))
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
