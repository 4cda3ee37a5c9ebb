"""Trials of a sweep on a Ray cluster: `python -m stickslip.on_ray STUDY OUT [--resume] [--address A]`.

The unit of work is the chunk of trials that every sweep has. Workers run a chunk each and write its file, whole or not at
all, into OUT, which must be a directory that all nodes share; the driver sends ranges and counts them. A worker that dies
costs its chunk, which Ray runs again; a driver that dies is started again with --resume. The files are those of a local
sweep, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from . import _stickslip
from .errors import StickslipError

RETRIES = 5
"""How often Ray runs a chunk again whose worker died."""


def _chunk(study: str, out: str, first: int, end: int) -> int:
    _stickslip.sweep_shards(study, Path(out), (first, end), 1)
    return end - first


def sweep_on_ray(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    resume: bool = False,
    address: str | None = None,
    progress: bool = True,
) -> int:
    """Runs all trials that OUT does not have yet on a Ray cluster; returns how many. `stickslip sweep --resume` sums up.

    address: of the cluster; without it one is started on this machine (a cluster that this process is connected to is used).
    """
    import ray  # type: ignore[import-not-found, import-untyped, unused-ignore]

    where, name = str(Path(out).resolve()), os.fspath(study)
    if Path(name).is_file():
        name = str(Path(name).resolve())
    ranges = _stickslip.sweep_left(name, Path(where), resume)
    if not ranges:
        return 0
    started = not ray.is_initialized()
    if started:
        ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
    try:
        return _drive(ray, ranges, (name, where), progress)
    finally:
        if started:
            ray.shutdown()


def _drive(ray: Any, ranges: list[tuple[int, int]], of: tuple[str, str], progress: bool) -> int:
    """Sends chunks, a few per core at a time, so that the driver's memory does not grow with the study."""
    remote = ray.remote(max_retries=RETRIES)(_chunk)
    total, done, told = sum(end - first for first, end in ranges), 0, 0.0
    queue, waiting = iter(ranges), list[Any]()
    while True:
        # nodes may come and go
        limit = 4 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(waiting) < limit and (chunk := next(queue, None)) is not None:
            waiting.append(remote.remote(*of, *chunk))
        if not waiting:
            return done
        ready, waiting = ray.wait(waiting, num_returns=1)
        done += sum(ray.get(ready))
        if progress and sys.stderr.isatty() and time.monotonic() - told > 0.1:
            told = time.monotonic()
            sys.stderr.write(f"\r{done}/{total} trials")


def main() -> int:
    """The command; exit code 2 for bad input or I/O, as everywhere."""
    parser = argparse.ArgumentParser(prog="stickslip.on_ray", description="Trials of a sweep on a Ray cluster.")
    parser.add_argument("study")
    parser.add_argument("out")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--address")
    arguments = parser.parse_args()
    try:
        count = sweep_on_ray(
            arguments.study, arguments.out, resume=arguments.resume, address=arguments.address
        )
    except ImportError as error:
        print(f"error: {error}; expected the package ray: pip install ray", file=sys.stderr)
        return 2
    except (StickslipError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{count} trials run on Ray", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
