"""Scenes as environments of Gymnasium: observations are columns of a run, actions are generalized forces.

Needs the package gymnasium. Every step is a certified step of the engine; `info["certified"]` says whether it held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from . import _stickslip
from .scene import Scene

Array = NDArray[np.float64]
Reward = Callable[[Array, Array, Array], float]
Done = Callable[[Array], bool]
Start = Callable[[np.random.Generator, Array, Array], tuple[Array, Array]]


@dataclass
class _Task:
    """What one environment and many at once share."""

    scene: Scene
    observe: Sequence[str]
    act: Sequence[str]
    bound: float
    reward: Reward
    done: Done | None
    start: Start | None
    steps: int
    horizon: int

    def __post_init__(self) -> None:
        names, columns = self.scene.velocity_names, self.scene.simulation().columns
        self.acts = [_index(names, name, "velocity") for name in self.act]
        self.observed = [_index(columns, name, "column") for name in self.observe]
        self.velocities = len(names)
        if not (self.bound > 0.0 and np.isfinite(self.bound)):
            raise ValueError(f"bound is {self.bound}; expected a force greater than 0")
        if self.steps < 1 or self.horizon < 1:
            raise ValueError(f"steps is {self.steps}, horizon {self.horizon}; expected at least 1")
        self.action_space = spaces.Box(-1.0, 1.0, (len(self.acts),), np.float64)
        self.observation_space = spaces.Box(-np.inf, np.inf, (len(self.observed),), np.float64)

    def forces(self, actions: Any) -> Array:
        """Generalized forces of actions from -1 to 1, one row each."""
        table = np.atleast_2d(np.asarray(actions, dtype=np.float64))
        forces = np.zeros((len(table), self.velocities))
        forces[:, self.acts] = self.bound * np.clip(table, -1.0, 1.0)
        return forces

    def begin(self, rng: np.random.Generator) -> _stickslip.Simulation:
        simulation = self.scene.simulation()
        if self.start is not None:
            q, u = self.start(rng, simulation.q, simulation.u)
            simulation.set_state(q=q, u=u)
        return simulation

    def seen(self, row: Array) -> Array:
        return row[self.observed]


def _index(names: list[str], name: str, what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise ValueError(f"{name!r} is no {what}; expected one of {', '.join(names)}") from None


class Env(gymnasium.Env[Array, Array]):
    """One scene.

    observe: columns of a run that are observed. act: velocities that a force acts on; an action from -1 to 1 is that part
    of `bound` (N, N m). reward: of (observation before, action, observation after). done: of an observation, True when the
    episode is over. start: draws the first (q, u) from (generator, q, u) of the scene. steps: of the engine per action.
    horizon: actions until the episode is cut off.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scene: Scene | str,
        *,
        observe: Sequence[str],
        act: Sequence[str],
        bound: float,
        reward: Reward,
        horizon: int,
        done: Done | None = None,
        start: Start | None = None,
        steps: int = 1,
    ) -> None:
        read = scene if isinstance(scene, Scene) else Scene.load(scene)
        self.task = _Task(read, observe, act, bound, reward, done, start, steps, horizon)
        self.action_space = self.task.action_space
        self.observation_space = self.task.observation_space
        self._simulation: _stickslip.Simulation | None = None
        self._last = np.zeros(len(observe))
        self._count = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        self._simulation = self.task.begin(self.np_random)
        self._count = 0
        self._last = self.task.seen(self._simulation.row())
        return self._last.copy(), {"certified": True, "time": 0.0}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Acts for `steps` steps of the engine."""
        if self._simulation is None:
            raise gymnasium.error.ResetNeeded("call reset() first")
        task = self.task
        held = self._simulation.step(task.forces(action)[0], steps=task.steps)
        now = task.seen(self._simulation.row())
        reward = float(task.reward(self._last, np.asarray(action, dtype=np.float64), now))
        over = bool(task.done(now)) if task.done is not None else False
        self._last, self._count = now, self._count + 1
        info = {"certified": held, "time": self._simulation.time}
        return now.copy(), reward, over, self._count >= task.horizon, info


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, Any]):
    """Many environments of one scene, stepped together on all cores. An episode that is over begins anew in the next step.

    Keywords are those of `Env`; results do not depend on `jobs`.
    """

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, scene: Scene | str, count: int, *, jobs: int | None = None, **options: Any) -> None:
        if count < 1:
            raise ValueError(f"count is {count}; expected at least 1")
        self.task = Env(scene, **options).task
        self.num_envs = count
        self.single_action_space = self.task.action_space
        self.single_observation_space = self.task.observation_space
        self.action_space = batch_space(self.single_action_space, count)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.jobs = jobs
        self._generators: list[np.random.Generator] = []
        self._simulations: list[_stickslip.Simulation] = []
        self._last = np.zeros((count, len(self.task.observe)))
        self._count = np.zeros(count, dtype=np.int64)
        self._over = np.zeros(count, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins all episodes. Environment i draws with seed + i, as gymnasium's own vector environments do."""
        if isinstance(seed, list):
            seeds: list[int | None] = seed
        else:
            seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        if not self._generators or seed is not None:
            self._generators = [gymnasium.utils.seeding.np_random(s)[0] for s in seeds]
        self._simulations = [self.task.begin(rng) for rng in self._generators]
        self._last = np.array([self.task.seen(s.row()) for s in self._simulations])
        self._count[:] = 0
        self._over[:] = False
        return self._last.copy(), {"certified": np.ones(self.num_envs, dtype=np.bool_)}

    def step(self, actions: Array) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Acts in all environments; those whose episode was over begin another one instead."""
        if not self._simulations:
            raise gymnasium.error.ResetNeeded("call reset() first")
        task, acting = self.task, np.flatnonzero(~self._over)
        for i in np.flatnonzero(self._over):
            self._simulations[i] = task.begin(self._generators[i])
        before, certified = self._last.copy(), np.ones(self.num_envs, dtype=np.bool_)
        if len(acting):
            chosen = [self._simulations[i] for i in acting]
            forces = task.forces(np.asarray(actions)[acting])
            rows, certified[acting] = _stickslip.step_all(chosen, forces, task.steps, self.jobs)
            self._last[acting] = rows[:, task.observed]
        rewards, over = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=np.bool_)
        for i in np.flatnonzero(self._over):
            self._last[i] = task.seen(self._simulations[i].row())
        self._count = np.where(self._over, 0, self._count + 1)
        for i in acting:
            rewards[i] = task.reward(before[i], np.asarray(actions[i], dtype=np.float64), self._last[i])
            over[i] = task.done is not None and task.done(self._last[i])
        cut: NDArray[np.bool_] = self._count >= task.horizon
        self._over = over | cut
        return self._last.copy(), rewards, over, cut, {"certified": certified}
