"""Many runs at once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _stickslip
from .errors import NotCertifiedWarning
from .scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """What came of many runs, in the order of the parameters.

    columns: names of what a row holds. final: the last row of every run. trajectories: all rows of every run, where
    asked for. steps, missed_steps: of every run. stopped: why a run ended before its time, or None.
    """

    columns: list[str]
    final: Array
    trajectories: list[Array] | None
    steps: NDArray[np.int64]
    missed_steps: NDArray[np.int64]
    stopped: list[str | None]

    @property
    def certified(self) -> NDArray[np.bool_]:
        """Which runs came to their end with every step within its tolerances."""
        whole = np.array([s is None for s in self.stopped], dtype=np.bool_)
        held: NDArray[np.bool_] = self.missed_steps == 0
        return whole & held

    def __getitem__(self, column: str) -> Array:
        try:
            return self.final[:, self.columns.index(column)]
        except ValueError:
            raise KeyError(f"{column!r}; expected one of {', '.join(self.columns)}") from None

    def __len__(self) -> int:
        return len(self.final)


def simulate_batch(
    scene: Scene | str,
    parameters: Mapping[str, ArrayLike],
    *,
    trajectories: bool = False,
    jobs: int | None = None,
) -> Batch:
    """Runs a scene once per value of its parameters, on all cores; results do not depend on their number.

    parameters: arrays of one length (or single numbers), by parameter ("mu") or by path ("body.box.mass").
    Runs that are not certified come with a NotCertifiedWarning; `Batch.certified` says which.
    """
    base = scene if isinstance(scene, Scene) else Scene.load(scene)
    names = list(parameters)
    columns = [np.asarray(parameters[name], dtype=np.float64) for name in names]
    if not names:
        raise ValueError("there are no parameters; expected arrays by name")
    for name, column in zip(names, columns):
        if column.ndim > 1:
            raise ValueError(f"{name} has shape {column.shape}; expected one dimension")
        if not np.isfinite(column).all():
            raise ValueError(f"{name} has an entry that is not finite")
    try:
        values = np.broadcast_arrays(*columns)
    except ValueError:
        sizes = ", ".join(f"{name} {column.shape}" for name, column in zip(names, columns))
        raise ValueError(f"the parameters have different lengths: {sizes}") from None
    table = np.atleast_2d(np.stack(values, axis=-1))
    sets = [[f"{name}={float(value)!r}" for name, value in zip(names, row)] for row in table]
    raw = _stickslip.run_batch(base._native, sets, trajectories, jobs)
    rows: list[Array] = raw["rows"]
    width = len(raw["columns"])
    final = np.array([r[-1] for r in rows]).reshape(len(rows), width)
    batch = Batch(
        columns=raw["columns"],
        final=final,
        trajectories=rows if trajectories else None,
        steps=raw["steps"],
        missed_steps=raw["missed_steps"],
        stopped=raw["stopped"],
    )
    failed = len(batch) - int(batch.certified.sum())
    if failed:
        warnings.warn(f"{base.name}: {failed} of {len(batch)} runs are not certified", NotCertifiedWarning, stacklevel=2)
    return batch
