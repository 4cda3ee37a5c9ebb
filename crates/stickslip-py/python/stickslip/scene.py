"""Scenes: what is simulated, and how."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _stickslip
from .errors import Interrupted, ModelError, NotCertified, NotCertifiedWarning, StepError
from .run import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Force = Callable[[NDArray[np.float64], NDArray[np.float64], float], ArrayLike]

Value = float | int | bool | str | Sequence[Any]
TimeFunction = Callable[[float], tuple[float, float, float]]
Progress = bool | Callable[[int, int], object]


def as_toml(value: Value) -> str:
    """A value as the command line's `--set PATH=VALUE` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):  # numpy
        return as_toml(value.tolist())
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    inner = ", ".join(f'"{v}"' if isinstance(v, str) else as_toml(v) for v in value)
    return f"[{inner}]"


def _options(**options: Value | None) -> dict[str, str]:
    return {key: as_toml(value) for key, value in options.items() if value is not None}


def _sets(changes: Mapping[str, Value] | None) -> list[str]:
    return [f"{path}={as_toml(value)}" for path, value in (changes or {}).items()]


def _triple(value: Value | None) -> str | None:
    """Three numbers as `X,Y,Z`."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        raise TypeError(f"{value!r}: expected three numbers")
    return ",".join(as_toml(v) for v in value)


class Scene:
    """A scene that can be simulated.

    Made by `Scene.load` (a built-in name or a file), `Scene.loads` (a text), `Scene.from_urdf` or `System.scene`. A scene
    does not change: `changed` gives another.
    """

    def __init__(self, native: _stickslip.Scene) -> None:
        self._native = native

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str],
        *,
        set: Mapping[str, Value] | None = None,
        stepper: str | None = None,
        cone: str | None = None,
        solver: str | None = None,
        step: Value | None = None,
        until: Value | None = None,
        functions: Mapping[str, TimeFunction] | None = None,
    ) -> Scene:
        """Reads a built-in scene by its name, or a scene file. The options are those of `stickslip run`.

        functions: what the scene calls `{ program = "NAME" }`, by name: f(t) that returns (value, rate, acceleration).
        """
        options = _options(stepper=stepper, cone=cone, solver=solver, step=step, until=until)
        given = list((functions or {}).items())
        return cls(_stickslip.Scene.load(os.fspath(source), (options, _sets(set)), given))

    @classmethod
    def loads(
        cls,
        text: str,
        *,
        name: str = "<text>",
        folder: str | os.PathLike[str] | None = None,
        set: Mapping[str, Value] | None = None,
        functions: Mapping[str, TimeFunction] | None = None,
    ) -> Scene:
        """Reads the text of a scene file. `name` is what messages call it; files it names are in `folder`."""
        where = None if folder is None else Path(folder)
        given = list((functions or {}).items())
        return cls(_stickslip.Scene.loads(text, (name, where), ({}, _sets(set)), given))

    @classmethod
    def from_urdf(
        cls,
        path: str | os.PathLike[str],
        *,
        stepper: str,
        until: Value,
        gravity: Value | None = None,
        step: Value | None = None,
        friction: Value | None = None,
        restitution: Value | None = None,
        ground: Value | None = None,
        base: str | None = None,
        base_position: Value | None = None,
        joint: Mapping[str, Value] | None = None,
        motor: Mapping[str, Value] | None = None,
        servo: Mapping[str, Value] | None = None,
        controller: Mapping[str, tuple[Value, float, float]] | None = None,
        package: Mapping[str, str | os.PathLike[str]] | None = None,
        keyframe: str | None = None,
        coordinates: str | None = None,
        meshes: str | None = None,
        repair: bool = False,
        strict: bool = False,
        no_contact: Sequence[tuple[str, str]] = (),
        no_self_contact: bool = False,
        cone: str | None = None,
        solver: str | None = None,
        set: Mapping[str, Value] | None = None,
    ) -> Scene:
        """Makes a scene of a robot in URDF, MJCF or SDF; the options are those of `stickslip import`. `notes` says what was
        made of it. `controller` holds joints: a position (or a formula of t), a stiffness and a damping by joint."""
        options = _options(
            gravity=_triple(gravity),
            keyframe=keyframe,
            coordinates=coordinates,
            meshes=meshes,
            repair=repair or None,
            strict=strict or None,
            friction=friction,
            restitution=restitution,
            ground=ground,
            base=base,
            base_position=_triple(base_position),
            no_self_contact=no_self_contact or None,
            stepper=stepper,
            cone=cone,
            solver=solver,
            step=step,
            until=until,
        )
        lists = {
            "joint": _sets(joint),
            "motor": _sets(motor),
            "servo": _sets(servo),
            "controller": [f"{name}={x},{kp!r},{kd!r}" for name, (x, kp, kd) in (controller or {}).items()],
            "package": [f"{name}={os.fspath(folder)}" for name, folder in (package or {}).items()],
            "no_contact": [",".join(pair) for pair in no_contact],
        }
        return cls(_stickslip.Scene.from_urdf(os.fspath(path), options, lists, _sets(set)))

    def changed(
        self,
        *,
        set: Mapping[str, Value] | None = None,
        stepper: str | None = None,
        cone: str | None = None,
        solver: str | None = None,
        step: Value | None = None,
        until: Value | None = None,
    ) -> Scene:
        """The same scene with other parameters (`{"slope": 0.5}`) or keys (`{"body.box.mass": 2}`)."""
        options = _options(stepper=stepper, cone=cone, solver=solver, step=step, until=until)
        return Scene(self._native.changed(options, _sets(set)))

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def description(self) -> str:
        """What it shows, in one line."""
        return self._native.description

    @property
    def text(self) -> str:
        """The scene file that gives this scene, changes carried out."""
        return self._native.text

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters with their values."""
        return dict(self._native.parameters)

    @property
    def stepper(self) -> str:
        """The time discretisation."""
        return self._native.stepper

    @property
    def cone(self) -> str:
        """The friction cone."""
        return self._native.cone

    @property
    def solver(self) -> str:
        """The solver."""
        return self._native.solver

    @property
    def step(self) -> float:
        """Length of a step, s."""
        return self._native.step

    @property
    def until(self) -> float:
        """Time to simulate, s."""
        return self._native.until

    @property
    def velocity_names(self) -> list[str]:
        """Names of the velocities, in the order of `Simulation.u` and of generalized forces."""
        return self._native.velocity_names

    @property
    def notes(self) -> list[str]:
        """What was said while a URDF file was read."""
        return self._native.notes

    def run(
        self,
        *,
        strict: bool = False,
        every: int | None = None,
        start: str | None = None,
        out: str | os.PathLike[str] | None = None,
        forces: Sequence[Force] = (),
        progress: Progress = False,
        **changes: Any,
    ) -> Run:
        """Simulates to the end, without the interpreter's lock.

        strict: raise NotCertified at the first step that misses a tolerance (otherwise NotCertifiedWarning at the end).
        every: steps from one row to the next; the scene's `[output] every` if not given.
        start: a checkpoint to go on from (`Run.checkpoint`, `Simulation.checkpoint`).
        out: a directory to write everything to, as `stickslip run --out`.
        forces: functions f(q, u, t) that return generalized forces (N, N m), one per velocity.
        progress: True for a bar on stderr, or a function of (steps done, steps in all).
        Other keywords are those of `changed`.

        Ctrl-C raises Interrupted; its `run` holds what was computed. Where no step can be taken, StepError likewise.
        """
        scene = self.changed(**changes) if changes else self
        if every is not None and every < 1:
            raise ValueError(f"every is {every}; expected at least 1")
        native = _stickslip.run_scene(
            scene._native,
            {
                "every": every,
                "strict": strict,
                "start": start,
                "progress": _bar if progress is True else (progress or None),
                "forces": list(forces),
            },
        )
        run = Run(native, scene)
        if out is not None:
            run.save(out)
        match native.ending:
            case "exception":
                raise _with_run(native.take_exception(), run)
            case "step":
                raise StepError(native.stopped or "", run)
            case "strict":
                raise NotCertified(native.stopped or "", run)
        if not native.certified:
            missed = run.summary["certificate"]["missed_steps"]
            warnings.warn(f"{scene.name}: {missed} steps missed a tolerance", NotCertifiedWarning, stacklevel=2)
        return run

    def simulation(self, *, forces: Sequence[Force] = ()) -> _stickslip.Simulation:
        """A simulation to be stepped by hand."""
        return _stickslip.Simulation(self, list(forces))

    def __repr__(self) -> str:
        return f"<Scene {self.name}: {self.stepper}, {self.solver}, step {self.step!r} s, until {self.until!r} s>"


def _with_run(error: BaseException | None, run: Run) -> BaseException:
    if isinstance(error, KeyboardInterrupt):
        interrupted = Interrupted(run)
        interrupted.__cause__ = error
        return interrupted
    if isinstance(error, ModelError):
        error.run = run
    return error if error is not None else StepError(run.stopped or "", run)


def _bar(done: int, total: int) -> None:
    """A bar on stderr, gone at the end."""
    filled = 40 * done // max(total, 1)
    end = "\r" + " " * 70 + "\r" if done >= total else ""
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total} steps{end}")
    sys.stderr.flush()
