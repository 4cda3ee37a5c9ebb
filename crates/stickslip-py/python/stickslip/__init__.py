"""Rigid bodies that stick, slip, roll, strike and jam, with a certificate for every step.

    import stickslip
    run = stickslip.Scene.load("woodpecker").run()
    run["y"], run.certified, run.events
"""

from ._stickslip import Simulation, builtin_scenes
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
)
from .run import Contacts, Event, Run
from .scene import Scene
from .solvers import Attempt, Solution, solve, solve_contact, solve_lcp, solve_mcp, solve_mlcp, solve_qp
from .system import Contact, System

__all__ = [
    "Attempt",
    "Batch",
    "Contact",
    "Contacts",
    "Event",
    "Interrupted",
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
    "System",
    "builtin_scenes",
    "simulate_batch",
    "solve",
    "solve_contact",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
    "solve_qp",
]
