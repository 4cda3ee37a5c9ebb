"""Drives as functions: a scene names them, Python gives value, rate and acceleration."""

import numpy as np
import pytest

import stickslip
from stickslip import Scene

PLAIN = Scene.load("pushed-block", until=0.3)
TEXT = PLAIN.text.replace("{ polynomial = [-0.5, 0, 0.25] }", '{ program = "push" }')


def push(t: float) -> tuple[float, float, float]:
    return -0.5 + 0.25 * t * t, 0.5 * t, 0.5


def test_a_body_driven_by_python_moves_as_by_the_file() -> None:
    assert TEXT != PLAIN.text
    scene = Scene.loads(TEXT, functions={"push": push})
    ours, theirs = scene.run(), PLAIN.run()
    apart = np.abs(ours.data[:, :-1] - theirs.data[:, :-1]).max()
    print(f"drive in Python: at most {apart:.1e} apart")
    assert apart < 1e-9 and ours.certified
    faster = scene.changed(step=5e-4).run()
    assert faster.certified and faster["C.x"][-1] == pytest.approx(theirs["C.x"][-1], abs=1e-3)
    by_hand = scene.simulation()
    by_hand.step(steps=len(ours) - 1)
    assert np.array_equal(by_hand.row(), ours.data[-1])


def test_mistakes_name_the_function_and_the_time() -> None:
    def fails_later(t: float) -> tuple[float, float, float]:
        if t > 0.1:
            raise LookupError("no such thing")
        return push(t)

    scene = Scene.loads(TEXT, functions={"push": fails_later})
    with pytest.raises(stickslip.ModelError, match="push at t = 0.10.*LookupError") as caught:
        scene.run()
    assert caught.value.run is not None and caught.value.run.time[-1] == pytest.approx(0.1, abs=2e-3)
    with pytest.raises(stickslip.ModelError, match="three numbers"):
        Scene.loads(TEXT, functions={"push": lambda t: t})  # type: ignore[dict-item, return-value]
    with pytest.raises(stickslip.ModelError, match="finite"):
        Scene.loads(TEXT, functions={"push": lambda t: (np.nan, 0.0, 0.0)})
    with pytest.raises(stickslip.SceneError, match="no program gives the function"):
        Scene.loads(TEXT)


def test_batches_of_driven_scenes_are_their_runs() -> None:
    scene = Scene.loads(TEXT, functions={"push": push})
    name, value = next(iter(scene.parameters.items()))
    values = [value, 1.1 * value, 1.2 * value]
    batches = [stickslip.simulate_batch(scene, {name: values}, jobs=jobs) for jobs in [1, 3]]
    alone = [scene.run(set={name: v}).data[-1] for v in values]
    assert np.array_equal(batches[0].final, alone) and np.array_equal(batches[1].final, alone)

    def fails_later(t: float) -> tuple[float, float, float]:
        return push(t) if t < 0.1 else (np.nan, 0.0, 0.0)

    with pytest.raises(stickslip.ModelError, match="push at t = 0.1"):
        stickslip.simulate_batch(Scene.loads(TEXT, functions={"push": fails_later}), {name: values})
