"""Environments: accepted by gymnasium's own check, many at once are the single ones, nothing depends on threads."""

from typing import Any

import numpy as np
import pytest

from stickslip import Contact, Scene, System
from stickslip.run import Array

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from stickslip.gym import Env, VectorEnv  # noqa: E402


def push_to_rest(before: Array, action: Array, after: Array) -> float:
    return -abs(float(after[1])) - 0.01 * float(action[0] ** 2)


def somewhere(rng: np.random.Generator, q: Array, u: Array) -> tuple[Array, Array]:
    u[0] = rng.uniform(-1.0, 1.0)
    return q, u


def options() -> dict[str, Any]:
    return {
        "scene": Scene.load("slide-to-roll", step=0.01),
        "observe": ["sphere.x", "sphere.vx", "sphere.wy"],
        "act": ["sphere.vx"],
        "bound": 2.0,
        "reward": push_to_rest,
        "done": lambda seen: abs(float(seen[0])) > 0.2,
        "start": somewhere,
        "steps": 2,
        "horizon": 30,
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_accepts_the_environment() -> None:
    check_env(Env(**options()))


def test_an_action_is_a_force() -> None:
    env = Env(**options() | {"start": None, "done": None})
    seen, _ = env.reset(seed=1)
    pushed, *_ = env.step(np.array([1.0]))
    _, _ = env.reset(seed=1)
    free, *_ = env.step(np.array([0.0]))
    # it slides on: friction is the same, the push is 2 N for 2 steps of 0.01 s on 1 kg
    assert pushed[1] - free[1] == pytest.approx(2.0 * 0.02, abs=1e-12) and seen[1] == 2.0


def test_many_at_once_are_the_single_ones_for_any_number_of_threads() -> None:
    count, rng = 5, np.random.default_rng(3)
    vectors = [VectorEnv(count=count, jobs=jobs, **options()) for jobs in [1, 4]]
    singles = [Env(**options()) for _ in range(count)]
    first = [v.reset(seed=11)[0] for v in vectors]
    alone = np.array([env.reset(seed=11 + i)[0] for i, env in enumerate(singles)])
    assert np.array_equal(first[0], alone) and np.array_equal(first[1], alone)
    ended, was_over = 0, np.zeros(count, dtype=bool)
    for _ in range(60):
        actions = rng.uniform(-1.0, 1.0, (count, 1))
        one, many = (v.step(actions) for v in vectors)
        for a, b in zip(one[:4], many[:4]):
            assert np.array_equal(a, b)
        for i, env in enumerate(singles):
            if was_over[i]:
                seen, reward, over, cut = env.reset()[0], 0.0, False, False
            else:
                seen, reward, over, cut, _ = env.step(actions[i])
            assert np.array_equal(seen, one[0][i]) and reward == one[1][i]
            assert (over, cut) == (one[2][i], one[3][i])
        was_over = one[2] | one[3]
        ended += int(was_over.sum())
        assert one[4]["certified"].all()
    assert ended > 3


def test_names_are_checked() -> None:
    with pytest.raises(ValueError, match="sphere.vx"):
        Env(**options() | {"act": ["sphere.v"]})
    with pytest.raises(ValueError, match="sphere.x"):
        Env(**options() | {"observe": ["ball.x"]})
    with pytest.raises(ValueError, match="bound"):
        Env(**options() | {"bound": 0.0})


class Cart(System):
    """A cart that a force pushes along a rail"""

    coordinates = ("x", "z")

    def initial(self) -> Any:
        return [0.0, 0.0], [0.0, 0.0]

    def mass_matrix(self, q: Any) -> Any:
        return np.diag([1.0, 1.0])

    def forces(self, q: Any, u: Any, t: float) -> Any:
        return [0.0, -9.81]

    def contacts(self, q: Any, t: float) -> Any:
        return [Contact("rail", q[1], 0.05, [0.0, 1.0], [1.0, 0.0])]


def test_models_in_python_are_environments_too() -> None:
    given: dict[str, Any] = {
        "scene": Cart().scene(stepper="stewart-trinkle", step=0.01, until=1.0),
        "observe": ["x", "x.velocity"],
        "act": ["x_dot"],
        "bound": 4.0,
        "reward": push_to_rest,
        "horizon": 8,
    }
    vectors = [VectorEnv(count=4, jobs=jobs, **given) for jobs in [1, 3]]
    singles = [Env(**given) for _ in range(4)]
    for v in vectors:
        v.reset(seed=5)
    for env in singles:
        env.reset(seed=5)
    actions = np.array([[-1.0], [0.1], [0.5], [1.0]])
    for _ in range(8):
        one, many = (v.step(actions) for v in vectors)
        alone = np.array([env.step(a)[0] for env, a in zip(singles, actions)])
        assert np.array_equal(one[0], many[0]) and np.array_equal(one[0], alone)
    # 4 N a against friction of 0.05 x 9.81 N: 0.4 N do not move it
    assert one[0][1, 1] == 0.0 and one[0][3, 1] == pytest.approx(0.08 * (4.0 - 0.05 * 9.81), rel=1e-12)
    assert one[3].all() and one[4]["certified"].all()
