"""No leak: memory is flat over many runs, steps and failures. `benches/memory.py` does 10^5 runs."""

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Scene, System

STATUS = Path("/proc/self/status")


def resident() -> float:
    return float(STATUS.read_text().split("VmRSS:")[1].split()[0]) / 1024.0


@pytest.mark.skipif(not STATUS.exists(), reason="reads /proc")
def test_memory_is_flat() -> None:
    scene = Scene.load("slide-to-roll", step=0.1)
    seen = []
    for i in range(5001):
        run = scene.run()
        assert run.certified and run.contacts.gap.size and run.events
        holder: list[object] = []  # a force that knows its simulation
        simulation = scene.simulation(forces=[lambda q, u, t, holder=holder: [0.0] * 6])
        holder.append(simulation)
        simulation.step(simulation.u)
        try:
            scene.run(forces=[lambda q, u, t: [0.0]])
        except stickslip.ModelError as error:
            assert error.run is not None
        if i % 1000 == 0:
            gc.collect()  # simulations that know themselves wait for it, and how many do is chance
            seen.append(resident())
    print(f"resident memory over 5,000 runs, steps and failures: {', '.join(f'{m:.2f}' for m in seen)} MB")
    # pages of 4 kB: one leaked row of a run, or one exception each, would be more than 1 MB
    assert seen[-1] - seen[1] < 1.0


class Keeper(System):
    """A model that keeps its scene, a simulation and a run of its own"""

    coordinates = ("z",)

    def __init__(self) -> None:
        self.weight = np.zeros(20_000)
        self.kept = self.scene(stepper="stewart-trinkle", step=0.01, until=0.05)
        self.changed = self.kept.changed(until=0.04)
        self.stepped = self.changed.simulation()
        self.stepped.step()
        self.result = self.kept.run()

    def initial(self) -> Any:
        return [0.1], [0.0]

    def mass_matrix(self, q: Any) -> Any:
        return [[1.0]]

    def forces(self, q: Any, u: Any, t: float) -> Any:
        return [-9.81]

    def contacts(self, q: Any, t: float) -> Any:
        return [Contact("floor", q[0], 0.3, [1.0], [0.0])]


class Pusher:
    """A drive that keeps the scene it drives"""

    def __init__(self) -> None:
        self.weight = np.zeros(20_000)
        text = Scene.load("pushed-block").text.replace("{ polynomial = [-0.5, 0, 0.25] }", '{ program = "push" }')
        self.scene = Scene.loads(text, functions={"push": self.push}).changed(until=0.01)
        self.stepped = self.scene.simulation()
        self.result = self.scene.run()

    def push(self, t: float) -> tuple[float, float, float]:
        return -0.5 + 0.25 * t * t, 0.5 * t, 0.5


@pytest.mark.parametrize("kind", [Keeper, Pusher])
def test_user_code_that_keeps_its_own_scene_goes_when_nobody_else_has_it(kind: type[Any]) -> None:
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    gc.collect()
    before = resident() if STATUS.exists() else 0.0
    for _ in range(300):
        alive.add(kind())
    gc.collect()
    after = resident() if STATUS.exists() else 0.0
    print(f"300 x {kind.__name__}: {len(alive)} left, {after - before:.1f} MB more (48 MB if all stayed)")
    assert len(alive) == 0 and after - before < 24.0
    # and it stays while somebody has what needs it
    for part in ["stepped", "result"]:
        held = getattr(kind(), part)
        gc.collect()
        if part == "stepped":
            assert held.step(steps=3)
        else:
            assert held.scene.run(until=0.01).certified and held.page
    scene = kind().result.scene
    gc.collect()
    assert scene.run().certified
