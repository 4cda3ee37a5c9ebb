"""The native part: what the crates give. Use `import stickslip`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .scene import Scene as PackageScene

__all__ = [
    "Joints",
    "RunData",
    "Scene",
    "SharedHold",
    "Simulation",
    "StudyWorker",
    "builtin_scenes",
    "builtin_studies",
    "model_scene",
    "run_batch",
    "run_scene",
    "solve_contact",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
    "solve_problem",
    "solve_qp",
    "step_all",
    "study_about",
    "sweep_left",
    "sweep_shards",
]

_Array = NDArray[np.float64]
_Changes = tuple[dict[str, str], list[str]]

@final
class Scene:
    @staticmethod
    def load(source: str, changes: _Changes, functions: list[tuple[str, Any]]) -> Scene: ...
    @staticmethod
    def loads(
        text: str, place: tuple[str, Path | None], changes: _Changes, functions: list[tuple[str, Any]]
    ) -> Scene: ...
    @staticmethod
    def from_urdf(
        path: str, options: dict[str, str], lists: dict[str, list[str]], set: list[str]
    ) -> Scene: ...
    def changed(self, options: dict[str, str], set: list[str]) -> Scene: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def parameters(self) -> list[tuple[str, float]]: ...
    @property
    def stepper(self) -> str: ...
    @property
    def cone(self) -> str: ...
    @property
    def solver(self) -> str: ...
    @property
    def step(self) -> float: ...
    @property
    def until(self) -> float: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def velocity_names(self) -> list[str]: ...

class _RunOptions(TypedDict):
    every: int | None
    strict: bool
    start: str | None
    progress: Callable[[int, int], object] | None
    forces: list[Any]

@final
class RunData:
    @property
    def columns(self) -> list[str]: ...
    @property
    def data(self) -> _Array: ...
    @property
    def summary(self) -> str: ...
    @property
    def checkpoint(self) -> str: ...
    @property
    def missed(self) -> list[tuple[int, str]]: ...
    @property
    def certified(self) -> bool: ...
    @property
    def ending(self) -> str | None: ...
    @property
    def stopped(self) -> str | None: ...
    def take_exception(self) -> BaseException | None: ...
    def contacts(self) -> dict[str, Any]: ...
    def events(self) -> list[tuple[float, str, str | None, float, float | None]]: ...
    def save(self, directory: Path) -> None: ...

@final
class Joints:
    """The joints of a simulation at an instant that leave exactly one direction free. In a scene with `coordinates =
    "joint"` they are the coordinates of its mechanisms."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
    @property
    def positions(self) -> _Array:
        """Positions, rad or m, turns counted."""
    @property
    def velocities(self) -> _Array:
        """Rates, rad/s or m/s."""
    def __len__(self) -> int: ...

@final
class Simulation:
    """A simulation that is stepped by hand and has no end: `until` plays no part.

    Made by `Scene.simulation()`. Threads may share it; steps are taken without the interpreter's lock.
    """

    def __new__(cls, scene: PackageScene | Scene, forces: Sequence[Any] = ...) -> Simulation: ...
    def step(
        self,
        force: ArrayLike | None = None,
        *,
        torque: Mapping[str, float] | ArrayLike | None = None,
        steps: int = 1,
    ) -> bool:
        """Takes steps under a constant generalized force (N, N m; one entry per velocity) and constant torques on joints
        (N m, N where they slide; by name, or one for each of `joints.names`). True when every step held."""
    @property
    def time(self) -> float:
        """Time, s."""
    @property
    def index(self) -> int:
        """Steps taken."""
    @property
    def q(self) -> _Array:
        """The coordinates, a copy."""
    @property
    def u(self) -> _Array:
        """The velocities, a copy."""
    @property
    def columns(self) -> list[str]:
        """Names of what `row` holds: those of a run."""
    def row(self) -> _Array:
        """What a run would record now."""
    @property
    def joints(self) -> Joints:
        """The joints that leave exactly one direction free, now."""
    def frame(self, body: str) -> tuple[_Array, _Array]:
        """The origin of a body's frame, m, and its axes as columns."""
    def jacobian(self, body: str, point: Sequence[float] | None = None) -> _Array:
        """Six rows: of the velocity of a point of a body (in its frame, m; its origin if not given) and of its spin, in
        the axes of the world; one column for each velocity."""
    def mass_matrix(self) -> _Array:
        """The mass matrix M of M du/dt + h = torques + contacts, at the present coordinates."""
    def bias(self) -> _Array:
        """The forces h of M du/dt + h = torques + contacts, now: gravity, springs, what velocities make."""
    def wrenches(self) -> dict[str, _Array]:
        """What contacts were to each body in the last step: force (N) and torque about its origin (N m), means over the
        step, in the axes of the world."""
    def set_state(self, *, q: ArrayLike | None = None, u: ArrayLike | None = None) -> None:
        """Puts the system elsewhere, as if a run began there; time goes on."""
    def contacts(self) -> dict[str, Any]:
        """The contacts of the last step, closed or not: label, mode, gap, normal_force, friction_force, slip, point, normal."""
    def summary(self) -> dict[str, Any]:
        """The summary of a run so far: the object that `stickslip run --json` prints."""
    def certificate(self) -> dict[str, Any]:
        """The residuals of the last step."""
    def checkpoint(self) -> str:
        """What is needed to go on from here, bit for bit: JSON."""
    def restore(self, checkpoint: str) -> None:
        """Goes on from a checkpoint of the same scene."""

def builtin_scenes() -> list[str]:
    """Names of the built-in scenes."""

def builtin_studies() -> list[str]:
    """Names of the built-in studies."""

def study_about(name: str) -> tuple[str, str, str]: ...
def run_scene(scene: Scene, options: _RunOptions) -> RunData: ...
def run_batch(scene: Scene, sets: list[list[str]], trajectories: bool, jobs: int | None) -> dict[str, Any]: ...
def step_all(
    simulations: Sequence[Simulation], forces: ArrayLike | None, steps: int, jobs: int | None
) -> tuple[_Array, NDArray[np.bool_]]: ...
@final
class SharedHold:
    def __new__(cls, out: Path) -> SharedHold: ...

@final
class StudyWorker:
    def __new__(cls, name: str, expected: str) -> StudyWorker: ...
    def answer(self, request: str) -> str: ...

def sweep_left(name: str, out: Path, resume: bool) -> list[tuple[int, int]]: ...
def sweep_shards(name: str, out: Path, range: tuple[int, int], jobs: int) -> None: ...
def model_scene(model: object, text: str) -> Scene: ...
def solve_problem(text: str, solver: str, tolerance: float) -> dict[str, Any]: ...
def solve_lcp(m: ArrayLike, q: ArrayLike, solver: str, tolerance: float) -> dict[str, Any]: ...
def solve_mlcp(
    m: ArrayLike, q: ArrayLike, bounds: tuple[ArrayLike, ArrayLike], solver: str, tolerance: float
) -> dict[str, Any]: ...
def solve_contact(
    entries: tuple[list[int], list[int], ArrayLike], q: ArrayLike, friction: ArrayLike, solver: str, tolerance: float
) -> dict[str, Any]: ...
def solve_mcp(
    functions: tuple[Callable[[_Array], ArrayLike], Callable[[_Array], tuple[list[int], list[int], _Array]]],
    bounds: tuple[ArrayLike, ArrayLike],
    start: ArrayLike,
    tolerance: float,
) -> dict[str, Any]: ...
def solve_qp(
    h: ArrayLike, g: ArrayLike, rows: tuple[ArrayLike, ArrayLike, ArrayLike], tolerance: float
) -> dict[str, Any]: ...
