"""Work of studies on a Ray cluster: `python -m stickslip.on_ray STUDY OUT [--resume] [--address A]`.

Of a sweep the unit of work is the chunk of trials that every sweep has. Workers run a chunk each and write its file, whole or
not at all, into OUT, which must be a directory that all nodes share; the driver sends ranges and counts them. A worker that
dies costs its chunk, which Ray runs again; a driver that dies is started again with --resume. The files are those of a
local sweep, byte for byte.

Designs and fits are driven by the command `stickslip`, which starts `python -m stickslip.on_ray --answer DIGEST STUDY` and
writes requests to its input, a line each: trials of a design, parts of the cases of a fit. Their answers are the lines of
its output, in the order they come in. It ends with its input.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from . import _ray_work, _stickslip
from .errors import StickslipError

RETRIES = 5
"""How often Ray runs a piece of work again whose worker died."""

OPTIONS: dict[str, Any] = {"max_retries": RETRIES, "scheduling_strategy": "SPREAD"}
"""Of all tasks. Left to itself Ray keeps work near the driver while other nodes idle (benches/ray_workers.py)."""

PATIENCE = 20.0
"""How long a driver that goes on waits for the directory, s: workers of one that was killed are at their chunks until Ray ends them."""

AHEAD = 4
"""Pieces of work per core that the driver has handed out, so that its memory does not grow with the study."""


def sweep_on_ray(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    resume: bool = False,
    address: str | None = None,
    progress: bool = True,
) -> int:
    """Runs all trials that OUT does not have yet on a Ray cluster; returns how many. `stickslip sweep --resume` sums up.

    address: of the cluster, or RAY_ADDRESS of the environment; without either one is started on this machine. If this
    process is already connected to a cluster, that is used.
    """
    name, where = _absolute(study), str(Path(out).resolve())
    ranges = _left(name, Path(where), resume)
    if not ranges:
        return 0
    # no second driver while this one is at it
    held = _stickslip.SharedHold(Path(where))
    with _connected(address) as ray:
        count = _sweep(ray, ranges, (name, where), progress)
    del held
    return count


def _left(name: str, out: Path, resume: bool) -> list[tuple[int, int]]:
    """The ranges of trials that OUT does not have."""
    until = time.monotonic() + (PATIENCE if resume else 0.0)
    while True:
        try:
            return _stickslip.sweep_left(name, out, resume)
        except OSError as error:
            if "another process is at work" not in str(error) or time.monotonic() >= until:
                raise
        time.sleep(0.1)


def _absolute(study: str | os.PathLike[str]) -> str:
    """The study as workers find it, in whatever directory they are."""
    name = os.fspath(study)
    return str(Path(name).resolve()) if Path(name).exists() and name not in _stickslip.builtin_studies() else name


@contextlib.contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    import ray  # type: ignore[import-not-found, import-untyped, unused-ignore]

    started = not ray.is_initialized()
    if started:
        # not some cluster that happens to be there
        where = address or os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=where, log_to_driver=False, include_dashboard=False if where == "local" else None)
    try:
        yield ray
    finally:
        if started:
            ray.shutdown()


class _Room:
    """How many pieces of work may be handed out. Nodes may come and go: asked again every second."""

    def __init__(self, ray: Any) -> None:
        self._ray, self._asked, self._limit = ray, float("-inf"), AHEAD

    def limit(self) -> int:
        if time.monotonic() - self._asked > 1.0:
            self._asked = time.monotonic()
            self._limit = AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return self._limit


def _sweep(ray: Any, ranges: list[tuple[int, int]], of: tuple[str, str], progress: bool) -> int:
    remote, room = ray.remote(**OPTIONS)(_ray_work.chunk), _Room(ray)
    total, done, told = sum(end - first for first, end in ranges), 0, 0.0
    queue, waiting = iter(ranges), list[Any]()
    while True:
        while len(waiting) < room.limit() and (chunk := next(queue, None)) is not None:
            waiting.append(remote.remote(*of, *chunk))
        if not waiting:
            return done
        ready, waiting = ray.wait(waiting, num_returns=1)
        if waiting:
            # all that are done: a look at 4000 takes milliseconds, too long for one at a time
            more, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=0)
            ready += more
        done += sum(ray.get(ready))
        if progress and sys.stderr.isatty() and time.monotonic() - told > 0.1:
            told = time.monotonic()
            sys.stderr.write(f"\r{done}/{total} trials")


async def _answer(ray: Any, of: tuple[str, str], asked: TextIO, said: TextIO) -> None:
    """Hands out requests as they come, and says the answers as they come, until there are no more requests."""
    remote, room = ray.remote(**OPTIONS)(_ray_work.answer), _Room(ray)
    loop, waiting = asyncio.get_running_loop(), set[asyncio.Task[None]]()

    async def one(number: int, request: str) -> None:
        try:
            what = {"request": number, "answer": await remote.remote(*of, request)}
        except Exception as error:
            # after this the command ends us
            what = {"request": number, "error": str(getattr(error, "cause", None) or error)}
        said.write(json.dumps(what) + "\n")
        said.flush()

    while line := await loop.run_in_executor(None, asked.readline):
        words = json.loads(line)
        waiting.add(loop.create_task(one(words["request"], json.dumps(words["ask"]))))
        while len(waiting) >= room.limit():
            _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)


def _answer_all(study: str, digest: str, address: str | None) -> None:
    # whatever else is printed here is no answer
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with _connected(address) as ray:
        asyncio.run(_answer(ray, (_absolute(study), digest), sys.stdin, said))


def main() -> int:
    """The command; exit code 2 for bad input or I/O, as everywhere."""
    parser = argparse.ArgumentParser(prog="stickslip.on_ray", description="Work of studies on a Ray cluster.")
    parser.add_argument("study")
    parser.add_argument("out", nargs="?", help="directory of a sweep")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--address")
    parser.add_argument("--answer", metavar="DIGEST", help="answer requests on the input, of the study with this digest")
    arguments = parser.parse_args()
    if (arguments.out is None) == (arguments.answer is None):
        parser.error("expected OUT, or --answer DIGEST")
    try:
        if arguments.answer is not None:
            _answer_all(arguments.study, arguments.answer, arguments.address)
            return 0
        count = sweep_on_ray(arguments.study, arguments.out, resume=arguments.resume, address=arguments.address)
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
