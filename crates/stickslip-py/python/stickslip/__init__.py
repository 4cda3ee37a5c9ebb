"""Rigid bodies that stick, slip, roll, strike and jam, with a certificate for every step.

    import stickslip
    run = stickslip.Scene.load("woodpecker").run()
    run["y"], run.certified, run.events
"""

from ._stickslip import Joints, Simulation, builtin_scenes, builtin_studies
from .batch import Batch, simulate_batch
from .errors import (
    Interrupted,
    ModelError,
    NotCertified,
    NotCertifiedWarning,
    ProblemError,
    SceneError,
    StepError,
    StickslipError,
    StudyError,
)
from .run import Contacts, Event, Run
from .scene import Scene
from .solvers import Attempt, Solution, solve, solve_contact, solve_lcp, solve_mcp, solve_mlcp, solve_qp
from .study import Study, trials_of
from .system import Contact, System

__all__ = [
    "Attempt",
    "Batch",
    "Contact",
    "Contacts",
    "Event",
    "Interrupted",
    "Joints",
    "ModelError",
    "NotCertified",
    "NotCertifiedWarning",
    "ProblemError",
    "Run",
    "Scene",
    "SceneError",
    "Simulation",
    "Solution",
    "StepError",
    "StickslipError",
    "Study",
    "StudyError",
    "System",
    "builtin_scenes",
    "builtin_studies",
    "simulate_batch",
    "solve",
    "solve_contact",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
    "solve_qp",
    "trials_of",
]
