"""Complementarity problems, for those who only need a solver. Matrices may be dense or of scipy.sparse."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _stickslip

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Attempt:
    """What one solver said."""

    solver: str
    status: str
    residual: float
    iterations: int


@dataclass(frozen=True)
class Solution:
    """An answer. `status` is "solved" only when the residual, recomputed from the problem, is within the tolerance."""

    x: Array
    status: str
    residual: float
    iterations: int
    residual_by_q: float | None = None
    tried: list[Attempt] = field(default_factory=list)
    multipliers: Array | None = None
    objective: float | None = None
    scale: float | None = None

    @property
    def solved(self) -> bool:
        """True when the problem is solved."""
        return self.status == "solved"


def _solution(raw: dict[str, Any]) -> Solution:
    tried = [Attempt(**one) for one in raw.pop("tried", [])]
    return Solution(x=raw.pop("solution"), tried=tried, **raw)


def _dense(matrix: Any) -> Array:
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    return np.asarray(matrix, dtype=np.float64)


def _entries(matrix: Any) -> tuple[list[int], list[int], Array]:
    """Rows, columns and values; entries of a sparse matrix at the same place add up."""
    if hasattr(matrix, "tocoo"):
        csr = matrix.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        counts = np.diff(csr.indptr)  # not `tocoo`, which takes longer than a small problem
        return np.repeat(np.arange(len(counts)), counts).tolist(), csr.indices.tolist(), np.asarray(csr.data, dtype=np.float64)
    dense = np.asarray(matrix, dtype=np.float64)
    if dense.ndim != 2:
        raise ValueError(f"a matrix has shape {dense.shape}; expected two dimensions")
    rows, columns = np.nonzero(dense)
    return rows.tolist(), columns.tolist(), dense[rows, columns]


def _bounds(lower: ArrayLike | None, upper: ArrayLike | None, n: int) -> tuple[Array, Array]:
    low = np.broadcast_to(np.asarray(-np.inf if lower is None else lower, dtype=np.float64), (n,))
    high = np.broadcast_to(np.asarray(np.inf if upper is None else upper, dtype=np.float64), (n,))
    return low, high


def solve_lcp(M: Any, q: ArrayLike, *, solver: str = "auto", tolerance: float = 1e-10) -> Solution:
    """Finds x >= 0 with w = M x + q >= 0 and x w = 0. Solvers: auto, lemke, murty, enumeration, newton."""
    return _solution(_stickslip.solve_lcp(_dense(M), q, solver, tolerance))


def solve_mlcp(
    M: Any,
    q: ArrayLike,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    *,
    solver: str = "auto",
    tolerance: float = 1e-10,
) -> Solution:
    """Finds lower <= x <= upper with w = M x + q: w >= 0 at the lower bound, w <= 0 at the upper, w = 0 between.

    Bounds that are not given are infinite. Solvers: auto, dantzig, newton.
    """
    vector = np.asarray(q, dtype=np.float64)
    bounds = _bounds(lower, upper, vector.shape[0] if vector.ndim else 0)
    return _solution(_stickslip.solve_mlcp(_dense(M), vector, bounds, solver, tolerance))


def solve_contact(
    W: Any, q: ArrayLike, mu: ArrayLike, *, solver: str = "auto", tolerance: float = 1e-10
) -> Solution:
    """Finds impulses x of contacts with Coulomb friction (exact cone): v = W x + q, Coulomb's law between v and x.

    Per contact the normal row, then one tangential row (plane) or two (space); `mu` has one coefficient per contact, `W` is
    symmetric and positive semi-definite. Solvers: those of scene files.
    """
    vector = np.asarray(q, dtype=np.float64)
    size = np.shape(W)
    if size != (vector.size, vector.size):
        raise ValueError(f"W has shape {size}; expected {(vector.size, vector.size)}, as many as q has entries")
    return _solution(_stickslip.solve_contact(_entries(W), vector, mu, solver, tolerance))


def solve_mcp(
    f: Callable[[Array], ArrayLike],
    jac: Callable[[Array], Any],
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    x0: ArrayLike,
    *,
    tolerance: float = 1e-10,
) -> Solution:
    """As solve_mlcp with w = f(x), by a semismooth Newton method from x0; `jac` gives df/dx, dense or sparse.

    The residual is relative to `scale`, the largest entry of f(x0) (1 if that is zero).
    """
    start = np.asarray(x0, dtype=np.float64)
    bounds = _bounds(lower, upper, start.shape[0] if start.ndim else 0)
    return _solution(_stickslip.solve_mcp((f, lambda x: _entries(jac(x))), bounds, start, tolerance))


def solve_qp(
    H: Any,
    g: ArrayLike,
    C: Any = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    *,
    tolerance: float = 1e-9,
) -> Solution:
    """Minimises x H x / 2 + g x subject to lower <= C x <= upper; of several minima the one of least norm.

    H is symmetric and positive semi-definite. Bounds on unknowns are rows of the identity.
    """
    vector = np.asarray(g, dtype=np.float64)
    rows = np.zeros((0, vector.size)) if C is None else _dense(C)
    bounds = _bounds(lower, upper, rows.shape[0])
    return _solution(_stickslip.solve_qp(_dense(H), vector, (rows, *bounds), tolerance))


def solve(problem: str | os.PathLike[str], *, solver: str = "auto", tolerance: float = 1e-10) -> Solution:
    """Answers a stored problem (the file, or its text if it begins with `{`), as `stickslip solve` does."""
    text = os.fspath(problem)
    if not text.lstrip().startswith("{"):
        text = Path(text).read_text(encoding="utf-8")
    return _solution(_stickslip.solve_problem(text, solver, tolerance))
