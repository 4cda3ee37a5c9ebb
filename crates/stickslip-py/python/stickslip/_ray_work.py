"""What a worker of a Ray cluster does. A module of its own: workers import it, whoever is the driver."""

from __future__ import annotations

import functools
from pathlib import Path

from . import _stickslip


def chunk(study: str, out: str, first: int, end: int) -> int:
    """Runs a chunk of trials and writes its file; returns how many."""
    _stickslip.sweep_shards(study, Path(out), (first, end), 1)
    return end - first


@functools.lru_cache(maxsize=1)
def _worker(study: str, digest: str) -> _stickslip.StudyWorker:
    # read once, not for every request
    return _stickslip.StudyWorker(study, digest)


def answer(study: str, digest: str, request: str) -> str:
    """The answer to a request of the study, which must be the driver's."""
    return _worker(study, digest).answer(request)
