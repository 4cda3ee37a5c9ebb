"""Runs: what a simulation left behind, as arrays."""

from __future__ import annotations

import html
import json
import os
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _stickslip

if TYPE_CHECKING:
    from .scene import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """Something that happened: at time t (s), what, to which contact (or entry of the certificate), how much."""

    t: float
    kind: str
    contact: str | None
    value: float
    tolerance: float | None = None


@dataclass(frozen=True)
class Contacts:
    """The closed contacts of the recorded steps, one entry each: forces in N, slip in m/s, vectors of the world.

    `normal_force` and `friction_force` are means over the step, `instant_...` those at its end: with `event` and `gauss`;
    other steppers do not know them (nan).
    """

    t: Array
    label: NDArray[np.str_]
    mode: NDArray[np.str_]
    gap: Array
    normal_force: Array
    friction_force: Array
    slip: Array
    point: Array
    normal: Array
    tangent: Array
    coefficient: Array
    instant_normal_force: Array
    instant_friction_force: Array

    def __len__(self) -> int:
        return len(self.t)


class Run:
    """A run. `run["box.x"]` is a column, `run.time` the times, `run.certified` whether every step held."""

    def __init__(self, native: _stickslip.RunData, scene: Scene) -> None:
        self._native = native
        self.scene = scene
        self.columns: list[str] = native.columns
        self._at = {name: i for i, name in enumerate(self.columns)}
        self.data: Array = native.data

    def __getitem__(self, column: str) -> Array:
        try:
            return self.data[:, self._at[column]]
        except KeyError:
            raise KeyError(f"{column!r}; expected one of {', '.join(self.columns)}") from None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def time(self) -> Array:
        """Times of the rows, s."""
        return self.data[:, 0]

    @property
    def certified(self) -> bool:
        """True when the run came to its end and every step held its tolerances."""
        return self._native.certified

    @property
    def stopped(self) -> str | None:
        """Why it ended before its time, if it did."""
        return self._native.stopped

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The object that `stickslip run --json` prints."""
        value: dict[str, Any] = json.loads(self._native.summary)
        return value

    @property
    def certificate(self) -> dict[str, Any]:
        """The worst residuals of the run, where and when, and how many steps missed a tolerance."""
        value: dict[str, Any] = self.summary["certificate"]
        return value

    @property
    def energy(self) -> dict[str, Array]:
        """The energy ledger over time, J."""
        prefix = "energy."
        return {c.removeprefix(prefix): self[c] for c in self.columns if c.startswith(prefix)}

    @cached_property
    def contacts(self) -> Contacts:
        """The closed contacts of the recorded steps."""
        raw = self._native.contacts()
        names = np.array(raw.pop("labels"), dtype=np.str_)
        label = names[raw.pop("label")] if len(names) else np.array([], dtype=np.str_)
        mode = np.array(raw.pop("mode"), dtype=np.str_)
        return Contacts(label=label, mode=mode, **raw)

    @cached_property
    def events(self) -> list[Event]:
        """What happened, in order of time."""
        return [Event(*e) for e in self._native.events()]

    @property
    def missed(self) -> dict[int, str]:
        """Contact problems of the first steps that missed their laws, by step: JSON for `solve` or `stickslip solve`."""
        return dict(self._native.missed)

    @property
    def checkpoint(self) -> str:
        """What is needed to go on from the end, bit for bit: JSON, for `Scene.run(start=...)` or `run --from`."""
        return self._native.checkpoint

    def body(self, name: str) -> dict[str, Array]:
        """The columns of a body or coordinate, by what follows its name."""
        found = {c.removeprefix(name + "."): self[c] for c in self.columns if c.startswith(name + ".")}
        if name in self._at:
            found["position"] = self[name]
        if not found:
            raise KeyError(f"{name!r}; the columns are {', '.join(self.columns)}")
        return found

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Writes the directory that `stickslip run --out` writes, with report.html; returns its path."""
        path = Path(directory)
        self._native.save(path)
        return path

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return pandas.DataFrame(self.data, columns=self.columns)

    def plot(self, *columns: str, ax: Any = None) -> Any:
        """Columns over time, by matplotlib; positions if none are named. Returns the axes."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        shown: Sequence[str] = columns or self._positions()
        for column in shown:
            ax.plot(self.time, self[column], label=column)
        ax.set_xlabel("t / s")
        ax.set_title(self.scene.name if self.certified else f"{self.scene.name} (NOT certified)")
        ax.legend()
        return ax

    def _positions(self) -> list[str]:
        derived = ("energy.", "certificate.", "solver.")
        rates = (".velocity", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz", ".omega", ".qw", ".qx", ".qy", ".qz")
        return [c for c in self.columns[1:] if not c.startswith(derived) and not c.endswith(rates)]

    @cached_property
    def page(self) -> str:
        """The report of the run, one page of HTML that needs no network."""
        with tempfile.TemporaryDirectory() as folder:
            return (self.save(folder) / "report.html").read_text(encoding="utf-8")

    def show(self) -> Path | None:
        """Shows the report: inline in a notebook (returns None), elsewhere in a browser (returns the file)."""
        if _in_notebook():
            from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

            display(self)  # type: ignore[no-untyped-call, unused-ignore]
            return None
        file = Path(tempfile.mkdtemp(prefix="stickslip-")) / "report.html"
        file.write_text(self.page, encoding="utf-8")
        webbrowser.open(file.as_uri())
        return file

    def _repr_html_(self) -> str:
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0"></iframe>'

    def __repr__(self) -> str:
        verdict = "certified" if self.certified else f"NOT certified, {self.stopped or 'tolerances missed'}"
        end = float(self.time[-1]) if len(self) else 0.0
        return f"<Run of {self.scene.name}: {len(self)} rows to t = {end!r} s, {verdict}>"


def _in_notebook() -> bool:
    """True under a kernel of Jupyter, which shows what it is given; a terminal does not."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None
