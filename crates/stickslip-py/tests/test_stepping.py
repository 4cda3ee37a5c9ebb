"""Stepping by hand: the same steps as a run, with state and forces in and out."""

import threading

import numpy as np
import pytest

import stickslip
from stickslip import Scene, Simulation
from stickslip.run import Array


def test_steps_by_hand_are_those_of_a_run() -> None:
    scene = Scene.load("woodpecker", until=0.05)
    run, simulation = scene.run(), scene.simulation()
    assert simulation.columns == run.columns
    for row in run.data[1:]:
        assert simulation.step()
        assert np.array_equal(simulation.row(), row)
    assert simulation.index == len(run) - 1 and simulation.time == run.time[-1]
    assert simulation.certificate()["penetration"] == run["certificate.penetration"][-1]
    again = Simulation(scene)
    again.step(steps=len(run) - 1)
    assert np.array_equal(again.q, simulation.q) and np.array_equal(again.u, simulation.u)


def test_a_force_does_its_work() -> None:
    # a sphere in free flight: momentum is force times time
    scene = Scene.load("slide-to-roll", step=0.01, set={"world.gravity": [0, 0, 0], "body.sphere.position": [0, 0, 5]})
    names, simulation = scene.velocity_names, scene.simulation()
    force = np.zeros(len(names))
    force[names.index("sphere.vy")] = 3.0
    simulation.step(force, steps=50)
    assert simulation.u[names.index("sphere.vy")] == pytest.approx(3.0 * 0.5, rel=1e-13)
    assert simulation.summary()["energy"]["work_in"] == pytest.approx(0.5 * 1.5**2, rel=1e-12)
    simulation.step(steps=10)  # a force acts in the steps it is given to
    assert simulation.u[names.index("sphere.vy")] == pytest.approx(1.5, rel=1e-13)
    simulation.step(-force, steps=50)
    assert simulation.u[names.index("sphere.vy")] == pytest.approx(0.0, abs=1e-13)


def test_forces_as_functions_act_in_runs_and_by_hand() -> None:
    scene = Scene.load("slide-to-roll", step=1e-3, until=0.5, set={"world.gravity": [0, 0, 0]})
    scene = scene.changed(set={"body.sphere.position": [0, 0, 5], "speed": 0.0})
    y = scene.velocity_names.index("sphere.vy")

    def spring(q: Array, u: Array, t: float) -> Array:
        force = np.zeros_like(u)
        force[y] = 1.0 - 4.0 * q[1]
        return force

    run = scene.run(forces=[spring])
    exact = 0.25 * (1.0 - np.cos(2.0 * run.time))
    error = np.abs(run["sphere.y"] - exact).max()
    print(f"oscillator by a function: error {error:.1e} m at a step of 1e-3 s")
    assert error < 1e-3
    # a checkpoint knows of the forces, and does not pass for one of the scene without them
    half = scene.run(until=0.25, forces=[spring])
    rest = scene.run(start=half.checkpoint, forces=[spring])
    assert np.array_equal(np.vstack([half.data, rest.data]), run.data)
    with pytest.raises(ValueError, match="another scene"):
        scene.run(start=half.checkpoint)
    by_hand = scene.simulation(forces=[spring])
    by_hand.step(steps=len(run) - 1)
    assert np.array_equal(by_hand.row(), run.data[-1])


def test_the_state_can_be_set_and_is_then_a_start() -> None:
    scene = Scene.load("slide-to-roll", step=0.01)
    simulation = scene.simulation()
    simulation.step(steps=7)
    start = scene.changed(set={"speed": 1.0}).simulation()
    simulation.set_state(q=start.q, u=start.u)
    simulation.step(steps=20)
    start.step(steps=20)
    assert np.array_equal(simulation.q, start.q) and np.array_equal(simulation.u, start.u)
    turned = start.q
    turned[3:7] *= 2.0  # a quaternion off its sphere
    simulation.set_state(q=turned)
    assert simulation.q[3:7] == pytest.approx(turned[3:7] / 2, abs=1e-15)


def test_contacts_are_arrays() -> None:
    simulation = Scene.load("box-stack").simulation()
    simulation.step(steps=2)
    contacts = simulation.contacts()
    count = len(contacts["label"])
    assert count == 40 and contacts["point"].shape == (count, 3) and contacts["normal"].shape == (count, 3)
    below = [label for label in contacts["label"] if "floor" in label or "ground" in label]
    on_floor = [i for i, label in enumerate(contacts["label"]) if label in below]
    summary = simulation.summary()
    listed = {c["label"]: c["normal_force"] for c in summary["contacts"]}
    assert [listed[label] for label in contacts["label"]] == list(contacts["normal_force"]) and on_floor


def test_checkpoints_carry_a_simulation_over() -> None:
    scene = Scene.load("woodpecker")
    first, second = scene.simulation(), scene.simulation()
    first.step(steps=321)
    second.restore(first.checkpoint())
    first.step(steps=100)
    second.step(steps=100)
    assert np.array_equal(first.row(), second.row())
    with pytest.raises(ValueError, match="checkpoint"):
        second.restore("{}")


def test_bad_forces_and_states_are_refused_and_change_nothing() -> None:
    simulation = Scene.load("slide-to-roll").simulation()
    with pytest.raises(ValueError, match="force has 2 entries; expected 6"):
        simulation.step([1.0, 2.0])
    with pytest.raises(ValueError, match=r"force\[1\] is NaN"):
        simulation.step([0.0, np.nan, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="q has 1 entries; expected 7"):
        simulation.set_state(q=[0.0])
    with pytest.raises(ValueError, match="force is an array of shape"):
        simulation.step(np.zeros((2, 3)))
    with pytest.raises(TypeError, match="expected a function"):
        Scene.load("slide-to-roll").simulation(forces=[3])  # type: ignore[list-item]
    assert simulation.index == 0


def test_a_force_that_asks_its_own_simulation_is_told_not_to() -> None:
    holder: list[Simulation] = []
    simulation = Scene.load("slide-to-roll").simulation(forces=[lambda q, u, t: holder[0].u])
    holder.append(simulation)
    with pytest.raises(stickslip.ModelError, match="being stepped"):
        simulation.step()


def test_threads_may_share_a_simulation() -> None:
    scene = Scene.load("woodpecker")
    simulation, alone = scene.simulation(), scene.simulation()

    def work() -> None:
        for _ in range(100):
            simulation.step()
            _ = simulation.q

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    alone.step(steps=400)
    assert simulation.index == 400 and np.array_equal(simulation.row(), alone.row())
