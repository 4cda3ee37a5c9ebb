"""Models in Python."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _stickslip
from .run import Run
from .scene import Scene, Value

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Contact:
    """A unilateral contact with Coulomb friction at one configuration.

    gap: the distance, m; negative would be overlap.
    normal: d gap / d q, one entry per coordinate.
    slide: how far the contact has slid, m; one number, or two in space. Its value is used for differences only.
    tangent: d slide / d q, one row per direction of sliding.
    gap_rate, slide_rate: d gap / d t and d slide / d t at fixed q (m/s), where they depend on time explicitly.
    friction: Coulomb's coefficient. restitution, tangential_restitution: 0 to 1.

    Rows that are missing are central differences over `System.sizes` (relative error about 4e-11).
    """

    label: str
    gap: float
    friction: float
    normal: ArrayLike | None = None
    tangent: ArrayLike | None = None
    slide: ArrayLike | None = None
    gap_rate: float | None = None
    slide_rate: ArrayLike | None = None
    restitution: float = 0.0
    tangential_restitution: float = 0.0


class System:
    """A system with coordinates q and velocities u = dq/dt: M(q) du/dt = forces + applied + contact forces.

    A subclass has `coordinates` (names), `initial`, `mass_matrix`, `forces` and, unless nothing touches, `contacts`.
    """

    coordinates: ClassVar[Sequence[str]] = ()
    """Names of the coordinates."""
    parameters: ClassVar[Sequence[str]] = ()
    """Names of attributes, finite numbers, that are parameters of its scenes: `scene.changed(set={"mass": 2.0})`, `simulate_batch`."""
    sizes: ArrayLike | None = None
    """Typical sizes of the coordinates, for rows that contacts do not give."""
    potential: Callable[[Vector], float] | None = None
    """Potential energy (J) at q: `forces` are then its forces and gyroscopic ones. Without it all forces put work in."""
    applied: Callable[[Vector, Vector, float], ArrayLike] | None = None
    """Further forces at (q, u, t), whose work is energy put in."""

    def initial(self) -> tuple[ArrayLike, ArrayLike]:
        """The coordinates and velocities to start from."""
        raise NotImplementedError(f"{type(self).__name__} has no method `initial`")

    def mass_matrix(self, q: Vector) -> ArrayLike:
        """The mass matrix, symmetric and positive definite."""
        raise NotImplementedError(f"{type(self).__name__} has no method `mass_matrix`")

    def forces(self, q: Vector, u: Vector, t: float) -> ArrayLike:
        """The generalized forces, N or N m."""
        raise NotImplementedError(f"{type(self).__name__} has no method `forces`")

    def contacts(self, q: Vector, t: float) -> Sequence[Contact]:
        """The contacts, the same ones in the same order at all times."""
        return []

    def scene(
        self,
        *,
        stepper: str,
        step: float,
        until: float,
        solver: str = "auto",
        cone: str | None = None,
        simulation: Mapping[str, Value] | None = None,
        tolerance: Mapping[str, float] | None = None,
        every: int = 1,
    ) -> Scene:
        """A scene with this system. `simulation` and `tolerance` are further keys of those tables of a scene file.

        A system with parameters is copied (`copy.copy`), so that the scene does not change when an attribute does.
        """
        name = type(self).__name__
        description = next(iter((type(self).__doc__ or "").strip().splitlines()), "") or f"{name}, a model in Python"
        head = {"name": name, "description": description}
        choices: dict[str, Value] = {"stepper": stepper, "solver": solver, "step": float(step), "until": float(until)}
        if cone is not None:
            choices["cone"] = cone
        parameters = self._parameter_values()
        tables: dict[str, Mapping[str, Any]] = {
            "scene": head,
            **({"parameters": parameters} if parameters else {}),
            "simulation": choices | dict(simulation or {}),
            "tolerance": dict(tolerance or {}),
            "output": {"every": every},
        }
        text = f"# The system is the Python class {type(self).__module__}.{type(self).__qualname__}.\n"
        for table, entries in tables.items():
            text += f"[{table}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in entries.items())
        model = self._with_parameters(list(parameters.items())) if parameters else self
        return Scene(_stickslip.model_scene(model, text))

    def _parameter_values(self) -> dict[str, float]:
        values: dict[str, float] = {}
        for name in self.parameters:
            value = getattr(self, name, None)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or not math.isfinite(value):
                raise ValueError(f"{type(self).__name__}.{name} is {value!r}; expected a finite number, because it is a parameter")
            values[name] = float(value)
        return values

    def _with_parameters(self, values: list[tuple[str, float]]) -> System:
        """A copy with these attributes."""
        other = copy.copy(self)
        for name, value in values:
            setattr(other, name, value)
        return other

    def run(self, **options: Any) -> Run:
        """`self.scene(...).run()`; options that `Scene.run` knows (strict, start, out, forces, progress) go there."""
        known = ("strict", "start", "out", "forces", "progress")
        of_run = {key: options.pop(key) for key in known if key in options}
        return self.scene(**options).run(**of_run)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return repr(value)
