"""Joint space: what is said of joints, frames, masses and forces agrees with finite differences and with energies."""

import numpy as np
import pytest

import stickslip
from stickslip import Scene

ARM = """
[scene]
name = "arm"
description = "three links on hinges about three axes"
dimension = 3
[world]
gravity = [0, 0, -9.81]
coordinates = "COORDINATES"
[simulation]
stepper = "stewart-trinkle"
solver = "auto"
step = 1e-3
until = 1.0
[[body]]
name = "upper"
mass = 2.0
inertia = [0.02, 0.03, 0.025]
position = [0.2, 0, 1]
[[body]]
name = "lower"
mass = 1.5
inertia = [0.01, 0.02, 0.015]
position = [0.6, 0, 1]
[[body]]
name = "hand"
mass = 0.5
inertia = [0.001, 0.002, 0.0015]
position = [0.9, 0, 1]
[[joint]]
name = "shoulder"
kind = "revolute"
between = ["world", "upper"]
anchor = [0, 0, 1]
axis = [0, 0, 1]
[[joint]]
name = "elbow"
kind = "revolute"
between = ["upper", "lower"]
anchor = [0.4, 0, 1]
axis = [0, 1, 0]
[[joint]]
name = "slide"
kind = "prismatic"
between = ["lower", "hand"]
anchor = [0.8, 0, 1]
axis = [1, 0, 0]
"""


def arm(coordinates: str) -> stickslip.Simulation:
    return Scene.loads(ARM.replace("COORDINATES", coordinates)).simulation()


def placed(seed: int) -> tuple[stickslip.Simulation, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    simulation = arm("joint")
    q, u = random.uniform(-1, 1, 3), random.uniform(-2, 2, 3)
    simulation.set_state(q=q, u=u)
    return simulation, q, u


def test_joints_have_names_positions_and_rates() -> None:
    simulation, q, u = placed(1)
    joints = simulation.joints
    assert joints.names == ("shoulder", "elbow", "slide") and len(joints) == 3
    assert np.array_equal(joints.positions, q) and np.array_equal(joints.velocities, u)
    body = arm("body")
    assert body.joints.names == joints.names and not body.joints.positions.any()


@pytest.mark.parametrize("seed", range(5))
def test_a_jacobian_is_the_difference_of_frames(seed: int) -> None:
    simulation, q, _ = placed(seed)
    point, h = np.array([0.1, -0.2, 0.3]), 1e-6
    jacobian = simulation.jacobian("hand", list(point))
    _, axes = simulation.frame("hand")
    for k in range(3):
        ends = []
        for sign in (1, -1):
            moved = q.copy()
            moved[k] += sign * h
            simulation.set_state(q=moved)
            p, r = simulation.frame("hand")
            ends.append((p + r @ point, r))
        assert jacobian[:3, k] == pytest.approx((ends[0][0] - ends[1][0]) / (2 * h), abs=1e-8)
        turn = (ends[0][1] - ends[1][1]) / (2 * h) @ axes.T
        assert jacobian[3:, k] == pytest.approx([turn[2, 1], turn[0, 2], turn[1, 0]], abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_mass_and_bias_are_those_of_the_energies(seed: int) -> None:
    simulation, q, u = placed(seed)
    mass = simulation.mass_matrix()
    assert mass == pytest.approx(mass.T, abs=1e-14) and np.linalg.eigvalsh(mass).min() > 0

    def energy(q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        simulation.set_state(q=q, u=u)
        e = simulation.summary()["energy"]
        return e["kinetic"], e["potential"]

    assert 0.5 * u @ mass @ u == pytest.approx(energy(q, u)[0], rel=1e-12)
    # Lagrange: h = dM/dt u - d(T - V)/dq, by central differences
    simulation.set_state(q=q, u=u)
    bias, step = simulation.bias(), 1e-6
    lagrange = np.zeros(3)
    rate = np.zeros((3, 3))
    for k in range(3):
        ends = []
        for sign in (1, -1):
            moved = q.copy()
            moved[k] += sign * step
            kinetic, potential = energy(moved, u)
            ends.append((kinetic - potential, simulation.mass_matrix()))
        lagrange[k] = (ends[0][0] - ends[1][0]) / (2 * step)
        rate += (ends[0][1] - ends[1][1]) / (2 * step) * u[k]
    assert bias == pytest.approx(rate @ u - lagrange, abs=1e-6)


def test_a_torque_does_its_work_and_is_the_same_in_both_coordinates() -> None:
    torque = {"shoulder": 0.4, "slide": 25.0}
    ends = {}
    for coordinates in ("joint", "body"):
        simulation, work = arm(coordinates), 0.0
        before = simulation.joints
        for _ in range(300):
            assert simulation.step(torque=torque)
        joints = simulation.joints
        way = joints.positions - before.positions
        work = 0.4 * way[0] + 25.0 * way[2]
        ends[coordinates] = joints.positions
        assert simulation.summary()["energy"]["work_in"] == pytest.approx(work, rel=1e-2)
    assert ends["joint"] == pytest.approx(ends["body"], abs=2e-3)
    same = arm("joint")
    assert same.step(torque=[0.4, 0.0, 25.0], steps=300)
    assert np.array_equal(same.joints.positions, ends["joint"])


def test_the_acceleration_is_what_mass_bias_and_torque_say() -> None:
    simulation, _, u = placed(3)
    torque = np.array([0.3, -0.2, 4.0])
    mass, bias = simulation.mass_matrix(), simulation.bias()
    simulation.step(torque=torque)
    assert (simulation.u - u) / 1e-3 == pytest.approx(np.linalg.solve(mass, torque - bias), rel=2e-2, abs=2e-2)


def test_contacts_carry_the_weight() -> None:
    simulation = Scene.load("box-stack").simulation()
    simulation.step(steps=20)
    wrenches = simulation.wrenches()
    mass = simulation.mass_matrix()
    moving = [name.removesuffix(".vz") for name in Scene.load("box-stack").velocity_names if name.endswith(".vz")]
    weight = {name: 9.81 * mass[6 * k, 6 * k] for k, name in enumerate(moving)}
    for name in moving:
        assert wrenches[name][:3] == pytest.approx([0, 0, weight[name]], abs=1e-6 * sum(weight.values()))
        assert wrenches[name][3:] == pytest.approx([0, 0, 0], abs=1e-6 * sum(weight.values()))


def test_what_is_not_there_is_refused_by_name() -> None:
    simulation = arm("joint")
    with pytest.raises(ValueError, match='"wrist" is no joint.*shoulder, elbow, slide'):
        simulation.step(torque={"wrist": 1.0})
    with pytest.raises(ValueError, match="torque has 2 entries; expected 3"):
        simulation.step(torque=[1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        simulation.step(torque={"elbow": float("nan")})
    with pytest.raises(ValueError, match='"foot" is no body'):
        simulation.jacobian("foot")


def test_a_summary_before_the_first_step_is_that_of_the_start() -> None:
    for coordinates in ("joint", "body"):
        assert arm(coordinates).summary()["steps"] == 0
