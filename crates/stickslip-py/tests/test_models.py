"""Models in Python: the same motion as built in, rows by differences, and plain words when user code is wrong."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Scene, System

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from own_model import Woodpecker  # noqa: E402

OPTIONS: dict[str, Any] = {"stepper": "moreau", "solver": "lemke", "step": 1e-4, "tolerance": {"penetration": 1e-4}}


def test_the_woodpecker_moves_as_the_built_in_one() -> None:
    mine, theirs = Woodpecker().run(until=0.3, **OPTIONS), Scene.load("woodpecker", until=0.3).run()
    sizes = np.abs(theirs.data[:, 1:7]).max(axis=0)
    apart = (np.abs(mine.data[:, 1:7] - theirs.data[:, 1:7]) / sizes).max()
    print(f"woodpecker in Python: at most {apart:.1e} apart, energies {np.abs(mine['energy.potential'] - theirs['energy.potential']).max():.1e} J")
    assert mine.columns == theirs.columns and apart < 1e-9
    assert [(e.kind, e.contact) for e in mine.events] == [(e.kind, e.contact) for e in theirs.events]
    assert mine.certified


class ByDifferences(Woodpecker):
    """The same without rows"""

    sizes = [0.01, 0.1, 0.1]

    def contacts(self, q: Any, t: float) -> list[Contact]:
        slides = [q[0] + 0.010 * q[1] + (0.015 - 0.0201) * q[2], q[0] + 0.0031 * q[1], q[0] + 0.0031 * q[1]]
        given = super().contacts(q, t)
        return [Contact(c.label, c.gap, c.friction, slide=s, restitution=c.restitution) for c, s in zip(given, slides)]


def test_rows_by_differences_give_the_same_motion() -> None:
    mine, exact = ByDifferences().run(until=0.1, **OPTIONS), Woodpecker().run(until=0.1, **OPTIONS)
    apart = (np.abs(mine.data[:, 1:4] - exact.data[:, 1:4]) / np.abs(exact.data[:, 1:4]).max(axis=0)).max()
    print(f"rows by differences: at most {apart:.1e} apart")
    assert apart < 1e-7


class Ball(System):
    """A ball over a floor that may move"""

    coordinates = ("x", "z")
    speed = 0.0

    def initial(self) -> Any:
        return [0.0, 0.5], [1.0, 0.0]

    def mass_matrix(self, q: Any) -> Any:
        return np.diag([2.0, 2.0])

    def forces(self, q: Any, u: Any, t: float) -> Any:
        return [0.0, -2.0 * 9.81]

    def contacts(self, q: Any, t: float) -> Any:
        rate = self.speed if self.speed else None
        return [Contact("floor", q[1] - self.speed * t, 0.3, [0.0, 1.0], [1.0, 0.0], gap_rate=rate)]


BALL: dict[str, Any] = {"stepper": "stewart-trinkle", "step": 1e-3, "until": 0.6}


def test_a_moving_floor_carries_the_ball() -> None:
    class Lifted(Ball):
        speed = 0.25

    run = Lifted().run(**BALL)
    assert run.certified and run["z.velocity"][-1] == pytest.approx(0.25, abs=1e-12)
    assert run["z"][-1] == pytest.approx(0.25 * 0.6, abs=1e-9)
    assert run.energy["work_in"][-1] != 0.0

    class Silent(Lifted):
        def contacts(self, q: Any, t: float) -> Any:
            return [Contact("floor", q[1] - 0.25 * t, 0.3, [0.0, 1.0], [1.0, 0.0])]

    with pytest.raises(stickslip.ModelError, match="gap.*depends on time.*gap_rate"):
        Silent().scene(**BALL)


def broken(method: str, value: Any, when: float = -1.0) -> Ball:
    class Broken(Ball):
        pass

    def wrong(self: Ball, *arguments: Any) -> Any:
        t = arguments[-1] if method in ("forces", "contacts") else 0.0
        if t > when:
            return value() if callable(value) else value
        return getattr(Ball, method)(self, *arguments)

    setattr(Broken, method, wrong)
    return Broken()


def fail() -> None:
    raise LookupError("no such thing")


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("mass_matrix", np.eye(3), r"Broken.mass_matrix at t = 0 s: .*shape \(3, 3\); expected \(2, 2\)"),
        ("mass_matrix", [1.0, 2.0], "Broken.mass_matrix .*two-dimensional"),
        ("mass_matrix", [[1.0, 2.0], [2.0, 1.0]], "not positive definite"),
        ("mass_matrix", [[1.0, 0.5], [0.0, 1.0]], "not symmetric"),
        ("forces", [1.0], "Broken.forces at t = 0 s: .*1 entries; expected 2"),
        ("forces", [np.nan, 0.0], r"Broken.forces at t = 0 s: .*\[0\] is NaN"),
        ("forces", fail, "Broken.forces at t = 0 s: LookupError: no such thing"),
        ("contacts", 3, "Broken.contacts .*no list"),
        ("contacts", [Contact("floor", 0.1, 0.3, [1.0], [1.0, 0.0])], "`normal` of floor has 1 entries; expected 2"),
        ("contacts", [Contact("floor", 0.1, 0.3)], "neither `slide` nor `tangent`"),
        ("contacts", [Contact("floor", 0.1, 0.3, slide=0.0)], "no `normal` or `tangent` row.*sizes"),
        ("contacts", [Contact("floor", np.inf, 0.3, [0.0, 1.0], [1.0, 0.0])], "`gap` of floor"),
        ("contacts", [Contact("floor", 0.1, -0.3, [0.0, 1.0], [1.0, 0.0])], "`friction` of floor is -0.3"),
    ],
)
def test_mistakes_are_found_before_the_first_step_and_named(method: str, value: Any, words: str) -> None:
    with pytest.raises(stickslip.ModelError, match=words) as caught:
        broken(method, value).scene(**BALL)
    assert caught.value.method == f"Broken.{method}" and caught.value.time == 0.0
    assert Ball().run(**BALL).certified


@pytest.mark.parametrize("stepper", ["stewart-trinkle", "moreau", "anitescu-potra", "implicit"])
@pytest.mark.parametrize(("method", "value"), [("forces", fail), ("forces", [np.nan, 1.0]), ("contacts", fail), ("contacts", [])])
def test_mistakes_on_the_way_name_method_and_time_and_keep_the_run(stepper: str, method: str, value: Any) -> None:
    scene = broken(method, value, when=0.25).scene(**(BALL | {"stepper": stepper}))
    with pytest.raises(stickslip.ModelError, match=f"Broken.{method} at t = 0.25") as caught:
        scene.run()
    error = caught.value
    assert 0.25 < error.time < 0.26 and error.run is not None and error.run.time[-1] == pytest.approx(0.25, abs=2e-3)
    if value is fail:
        assert isinstance(error.__cause__, LookupError)
    assert scene.run(until=0.2).certified


@pytest.mark.parametrize("stepper", ["stewart-trinkle", "moreau", "anitescu-potra", "implicit"])
def test_nan_after_the_start_ends_the_step_that_meets_it(stepper: str) -> None:
    scene = broken("forces", [0.0, np.nan], when=0.0).scene(**(BALL | {"stepper": stepper}))
    simulation = scene.simulation()
    with pytest.raises(stickslip.ModelError, match=r"Broken.forces at t = .*\[1\] is NaN") as caught:
        simulation.step(steps=5)
    # where a step takes its forces from its start, the first is good
    assert 0.0 < caught.value.time <= 1e-3 and simulation.index <= 1
    assert np.isfinite(simulation.q).all() and np.isfinite(simulation.u).all()


def test_an_impossible_choice_does_not_become_a_scene() -> None:
    class Bouncing(Ball):
        def contacts(self, q: Any, t: float) -> Any:
            return [Contact("floor", q[1], 0.3, [0.0, 1.0], [1.0, 0.0], restitution=0.5)]

    with pytest.raises(stickslip.SceneError, match="restitution"):
        Bouncing().scene(**BALL)
    with pytest.raises(stickslip.SceneError, match="euler"):
        Ball().scene(stepper="euler", step=1e-3, until=1.0)
    with pytest.raises(NotImplementedError, match="initial"):
        raise_cause(lambda: System_without_methods().scene(**BALL))


class System_without_methods(System):
    coordinates = ("x",)


def raise_cause(f: Any) -> None:
    try:
        f()
    except stickslip.ModelError as error:
        assert error.__cause__ is not None
        raise error.__cause__ from None
