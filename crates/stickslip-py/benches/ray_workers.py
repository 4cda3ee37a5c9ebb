"""How much faster two workers are than one, on Ray and by threads: `crates/stickslip-py/test-ray bench` runs it optimised.

Trials of `grasp-map` (some 40 ms each) in chunks of 12. One worker and two alternate, so that a machine that others use shows
in all. Two figures tell a busy machine from a bad driver: the ratio by threads, without Ray, and the part of the time that the two
workers spend within chunks, which others on the machine do not change; 85 % of it is a ratio of 1.7 on a machine of one's own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from check_ray import grasp_map  # noqa: E402

from stickslip import _stickslip, on_ray  # noqa: E402

CHUNK = 12
PLACES = 24


def study(repeats: int, chunk: int) -> str:
    """One level of friction, 24 places."""
    text = grasp_map().replace("values = [0.33, 0.66]", "values = [0.66]").replace("chunk = 25", f"chunk = {chunk}")
    text = text.replace("to = 0.010, count = 10", "to = 0.010, count = 4").replace("to = 0, count = 10", "to = 0, count = 6")
    return text.replace("repeats = 10", f"repeats = {repeats}")


def clusters() -> list[Any]:
    """Of one node and of two, a core each."""
    from ray.cluster_utils import Cluster  # type: ignore[import-not-found, import-untyped, unused-ignore]

    head = {"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False}
    both = [Cluster(initialize_head=True, connect=False, head_node_args=head) for _ in range(2)]
    both[1].add_node(num_cpus=1, node_ip_address="127.0.0.2")
    return both


def timed_chunk(study: str, out: str, first: int, end: int) -> int:
    """A chunk as workers run it; how long it took goes into a file beside the directory."""
    from stickslip import _ray_work

    begin = time.monotonic()
    count = _ray_work.chunk(study, out, first, end)
    with Path(f"{out}.seconds").open("a") as file:
        file.write(f"{time.monotonic() - begin}\n")
    return count


def with_ray(cluster: Any, file: Path, out: Path) -> tuple[float, float]:
    """Seconds of a sweep on a cluster whose workers are there, and of these within chunks, all workers together."""
    import ray  # type: ignore[import-not-found, import-untyped, unused-ignore]

    ray.init(address=cluster.address, log_to_driver=False)
    try:
        on_ray.sweep_on_ray(file.with_name("warm.toml"), out.with_name(out.name + "-warm"))
        begin = time.monotonic()
        on_ray.sweep_on_ray(file, out)
        seconds = time.monotonic() - begin
        within = Path(f"{out.resolve()}.seconds").read_text().split()
        return seconds, sum(map(float, within))
    finally:
        ray.shutdown()


def with_threads(jobs: int, file: Path, out: Path) -> float:
    """Seconds of the same by threads of this process."""
    left = _stickslip.sweep_left(str(file), out, False)
    begin = time.monotonic()
    _stickslip.sweep_shards(str(file), out, (0, left[-1][1]), jobs)
    return time.monotonic() - begin


def main() -> None:
    """Prints all times and both ratios."""
    parser = argparse.ArgumentParser(description="One worker against two, on Ray and by threads.")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=10, help="trials at each of 24 places")
    arguments = parser.parse_args()
    trials = PLACES * arguments.repeats
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": folder, "RAY_USAGE_STATS_ENABLED": "0"}
        file = Path(folder) / "grasp.toml"
        file.write_text(study(arguments.repeats, CHUNK))
        file.with_name("warm.toml").write_text(study(1, 1))
        # workers import the chunk by its module; this one goes to them by value
        on_ray._ray_work = types.SimpleNamespace(chunk=timed_chunk)  # type: ignore[assignment]
        alone, pair = clusters()
        times: dict[str, list[float]] = {"1 thread": [], "2 threads": [], "1 worker": [], "2 workers": []}
        within: list[float] = []
        try:
            for turn in range(arguments.turns):
                for jobs in (1, 2):
                    name = f"{jobs} thread" + "s" * (jobs > 1)
                    times[name].append(with_threads(jobs, file, Path(folder) / f"threads-{turn}-{jobs}"))
                for cluster, name in ((alone, "1 worker"), (pair, "2 workers")):
                    seconds, busy = with_ray(cluster, file, Path(folder) / f"ray-{turn}-{name[0]}")
                    times[name].append(seconds)
                # the last one is the pair's
                within.append(busy / (2 * seconds))
                load = os.getloadavg()[0]
                print(f"turn {turn}: " + ", ".join(f"{n} {t[-1]:.2f} s" for n, t in times.items()) + f"; load {load:.1f}", flush=True)
        finally:
            alone.shutdown()
            pair.shutdown()
    best = {name: min(all_times) for name, all_times in times.items()}
    print(f"a trial takes {1e3 * best['1 thread'] / trials:.1f} ms")
    for one, two in (("1 thread", "2 threads"), ("1 worker", "2 workers")):
        ratios = " ".join(f"{a / b:.2f}" for a, b in zip(times[one], times[two], strict=True))
        print(f"{two} against {one}: {ratios}; best times {best[one] / best[two]:.2f}")
    print("two workers within chunks: " + " ".join(f"{100 * part:.0f} %" for part in within) + " of the time")


if __name__ == "__main__":
    main()
