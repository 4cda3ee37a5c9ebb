"""What can go wrong. Every exception of the package is a StickslipError, but for an interrupt."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .run import Run


class Problem(TypedDict):
    """One thing that is wrong with a scene."""

    message: str
    expected: str
    option: str | None
    line: int | None
    column: int | None


class StickslipError(Exception):
    """Anything that went wrong."""


class SceneError(StickslipError, ValueError):
    """A scene cannot be read: where, what was found, what would be right."""

    def __init__(self, message: str, file: str, problems: list[Problem]) -> None:
        super().__init__(message)
        self.file = file
        self.problems = problems


class StepError(StickslipError):
    """No step could be taken. `run` holds what was computed before, where it was a run."""

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run


class NotCertified(StickslipError):
    """A step of a strict run missed a tolerance. `run` holds all steps up to that one."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


class ModelError(StickslipError):
    """User code (a model, a force) failed: which method, at what time (s). Its own exception is the cause."""

    run: Run | None = None

    def __init__(self, message: str, method: str, time: float) -> None:
        super().__init__(message)
        self.method = method
        self.time = time


class ProblemError(StickslipError, ValueError):
    """The data do not make a complementarity problem, or no such solver takes it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. `run` holds what was computed until then."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"interrupted at t = {float(run.time[-1]) if len(run.time) else 0.0} s")
        self.run = run


class NotCertifiedWarning(UserWarning):
    """A run has steps that missed a tolerance."""


class StudyError(StickslipError):
    """A study could not be run: what the command said."""
