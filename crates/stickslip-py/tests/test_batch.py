"""Batches: every run is the run it would be alone, for any number of threads."""

import numpy as np
import pytest

import stickslip
from stickslip import Scene


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
