"""Batches: every run is the run it would be alone, for any number of threads."""

from typing import Any

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Scene, System


def test_every_run_is_the_run_alone() -> None:
    speeds = np.array([0.5, 1.0, 2.0, 3.5])
    batches = [
        stickslip.simulate_batch("slide-to-roll", {"speed": speeds, "friction": 0.25}, trajectories=True, jobs=jobs)
        for jobs in [1, 3]
    ]
    scene = Scene.load("slide-to-roll", set={"friction": 0.25})
    for i, speed in enumerate(speeds):
        alone = scene.run(set={"speed": float(speed)})
        for batch in batches:
            assert batch.trajectories is not None
            assert np.array_equal(batch.trajectories[i], alone.data)
            assert np.array_equal(batch.final[i], alone.data[-1])
    # it has come to roll where 2 v / (7 mu g) is over: 5/7 of the speed it had
    rolls = 2 * speeds / (7 * 0.25 * 9.81) < 0.6
    assert batches[0]["sphere.vx"][rolls] == pytest.approx(5 / 7 * speeds[rolls], abs=1e-12)
    assert batches[0].certified.all() and len(batches[0]) == 4


def test_bad_parameters_are_named() -> None:
    with pytest.raises(stickslip.SceneError, match="speed"):
        stickslip.simulate_batch("slide-to-roll", {"sped": [1.0]})
    with pytest.raises(ValueError, match="different lengths"):
        stickslip.simulate_batch("slide-to-roll", {"speed": [1.0, 2.0], "friction": [0.1, 0.2, 0.3]})
    with pytest.raises(ValueError, match="not finite"):
        stickslip.simulate_batch("slide-to-roll", {"speed": [np.nan]})
    with pytest.raises(ValueError, match="no parameters"):
        stickslip.simulate_batch("slide-to-roll", {})


def test_runs_that_are_not_certified_are_never_silent() -> None:
    scene = Scene.load("woodpecker", until=0.05)
    with pytest.warns(stickslip.NotCertifiedWarning, match="1 of 2 runs"):
        batch = stickslip.simulate_batch(scene, {"tolerance.penetration": [1e-4, 1e-9]})
    assert batch.certified.tolist() == [True, False] and batch.missed_steps[1] > 0


class Block(System):
    """A block that is thrown along a floor"""

    coordinates = ("x", "z")
    parameters = ("friction", "speed", "mass")
    friction, speed, mass = 0.3, 2.0, 1.5

    def initial(self) -> Any:
        return [0.0, 0.0], [self.speed, 0.0]

    def mass_matrix(self, q: Any) -> Any:
        return np.diag([self.mass, self.mass])

    def forces(self, q: Any, u: Any, t: float) -> Any:
        return [0.0, -9.81 * self.mass]

    def contacts(self, q: Any, t: float) -> Any:
        return [Contact("floor", q[1], self.friction, [0.0, 1.0], [1.0, 0.0])]


SLIDES: dict[str, Any] = {"stepper": "stewart-trinkle", "step": 5e-3, "until": 0.5}


def test_a_batch_of_a_model_is_its_runs_alone_for_any_number_of_threads() -> None:
    scene, speeds = Block().scene(**SLIDES), np.linspace(0.5, 2.5, 9)
    batches = [
        stickslip.simulate_batch(scene, {"speed": speeds, "friction": 0.25}, trajectories=True, jobs=jobs) for jobs in [1, 4]
    ]
    for i, speed in enumerate(speeds):
        model = Block()
        model.speed, model.friction = float(speed), 0.25
        alone = model.run(**SLIDES)
        for batch in batches:
            assert batch.trajectories is not None and np.array_equal(batch.trajectories[i], alone.data)
    # it slides until v = mu g t is used up
    stop = speeds / (0.25 * 9.81)
    exact = np.where(stop < 0.5, speeds * stop / 2, speeds * 0.5 - 0.25 * 9.81 * 0.5**2 / 2)
    error = np.abs(batches[0]["x"] - exact).max()
    print(f"batch of a model: at most {error:.1e} m from v^2/(2 mu g), step 5e-3 s")
    # the rectangle rule of a velocity that falls from 2.5 m/s: at most h v / 2
    assert error < 5e-3 * 2.5 / 2 and batches[0].certified.all()


def test_parameters_of_a_model_are_those_of_its_scene() -> None:
    model = Block()
    scene = model.scene(**SLIDES)
    assert scene.parameters == {"friction": 0.3, "speed": 2.0, "mass": 1.5}
    model.mass = 7.0  # a scene does not change
    assert scene.run().energy["kinetic"][0] == pytest.approx(0.5 * 1.5 * 2.0**2, rel=1e-15)
    heavy = scene.changed(set={"mass": 3.0})
    assert heavy.parameters["mass"] == 3.0 and scene.parameters["mass"] == 1.5
    assert heavy.run().energy["kinetic"][0] == pytest.approx(0.5 * 3.0 * 2.0**2, rel=1e-15)
    with pytest.raises(stickslip.SceneError, match="speed"):
        scene.changed(set={"sped": 1.0})
    model.mass = np.nan
    with pytest.raises(ValueError, match="Block.mass is nan; expected a finite number"):
        model.scene(**SLIDES)


def test_a_mistake_in_a_model_of_a_batch_names_method_time_and_run() -> None:
    class Fails(Block):
        def forces(self, q: Any, u: Any, t: float) -> Any:
            return [np.nan if self.speed > 1.5 and t > 0.2 else 0.0, -9.81 * self.mass]

    scene = Fails().scene(**SLIDES)
    for jobs in [1, 3]:
        with pytest.raises(stickslip.ModelError, match="Fails.forces at t = 0.2") as caught:
            stickslip.simulate_batch(scene, {"speed": [1.0, 1.25, 1.75, 2.0]}, jobs=jobs)
        assert caught.value.__notes__ == ["in the run of the batch with speed=1.75"]
    with pytest.raises(stickslip.ModelError, match="`friction` of floor is -0.1"):
        stickslip.simulate_batch(scene, {"friction": [0.1, -0.1], "speed": 1.0})
    assert stickslip.simulate_batch(scene, {"speed": [1.0, 1.25]}).certified.all()
