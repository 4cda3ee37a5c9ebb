"""Compares mass matrix and bias forces of imported robots with Pinocchio (URDF, base fixed) and MuJoCo (MJCF without
free or ball joints), at 20 random states each:  dynamics.py FILE ...

    PYTHONPATH=folder/of/the/package python3 tests/robots/dynamics.py a.urdf b.xml

`stickslip` is the Python package (crates/stickslip-py/test leaves it in target/python-package); `mujoco` and `pin` have to be
installed, as in the folder that compare.py makes. Speeds are up to 1 rad/s or m/s. One line per file: the worst difference
of M relative to its largest entry and of h (with gravity, armature and damping) relative to the largest of its terms;
exit 1 if one is above 1e-10, but for robots whose inertias --repair has changed."""
import os, re, sys
import numpy as np
import stickslip

GOOD, STATES = 1e-10, 20


def plain(name, kind="joint"):
    return name if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else re.sub(r"[^A-Za-z0-9_-]", "_", name)[:48] or kind


def load(path):
    options = dict(stepper="stewart-trinkle", step=1e-3, until=1, repair=True, no_self_contact=True, friction=0.5)
    if not path.endswith(".urdf"):
        return stickslip.Scene.from_urdf(path, **options)
    options |= dict(gravity=(0, 0, -9.81))
    try:
        return stickslip.Scene.from_urdf(path, base="fixed", **options)
    except stickslip.SceneError:
        return stickslip.Scene.from_urdf(path, **options)        # its root is named `world`


def order(simulation, theirs):
    """Of each of our velocities the number of theirs; `theirs` is by name"""
    probe = np.arange(1.0, len(simulation.u) + 1)
    simulation.set_state(u=probe)
    out = np.full(len(probe), -1)
    for name, rate in zip(simulation.joints.names, simulation.joints.velocities):
        own = theirs.get(name, theirs.get(re.sub(r"_joint(_\d+)?$", "", name)))
        if own is not None and abs(rate - round(rate)) < 1e-9 and 1 <= round(rate) <= len(out):
            out[round(rate) - 1] = own
    if (out < 0).any() or len(simulation.q) != len(simulation.u) or len(set(out)) != len(out):
        raise ValueError(f"{len(out)} velocities here, {len(theirs)} joints there")
    return out


def compare(simulation, index, count, theirs):
    rng, worst = np.random.default_rng(5), [0.0, 0.0]
    if len(index) != count:
        raise ValueError(f"{len(index)} velocities here, {count} there")
    for _ in range(STATES):
        q, u = rng.uniform(-1, 1, len(index)), rng.uniform(-1, 1, len(index))
        simulation.set_state(q=q, u=u)
        inverse = np.argsort(index)
        mass, bias, terms = theirs(q[inverse], u[inverse])
        m, h = simulation.mass_matrix(), simulation.bias()
        worst[0] = max(worst[0], np.abs(m - mass[np.ix_(index, index)]).max() / np.abs(mass).max())
        worst[1] = max(worst[1], np.abs(h - bias[index]).max() / max(terms, 1e-300))
    return worst


def urdf(path, simulation):
    import pinocchio as pin
    model = pin.buildModelFromUrdf(path)
    data = model.createData()
    names = {plain(n): model.joints[i].idx_v for i, n in enumerate(model.names) if i and model.joints[i].nv == 1}
    index = order(simulation, names)

    def theirs(q, u):
        full = np.zeros(model.nq)
        for i in range(1, model.njoints):
            joint, v = model.joints[i], model.joints[i].idx_v
            if joint.nq == 2:
                full[joint.idx_q:joint.idx_q + 2] = np.cos(q[v]), np.sin(q[v])
            else:
                full[joint.idx_q] = q[v]
        mass = pin.crba(model, data, full)
        mass = np.triu(mass) + np.triu(mass, 1).T
        gravity, damping = pin.computeGeneralizedGravity(model, data, full), model.damping * u
        nle = pin.nonLinearEffects(model, data, full, u)
        return mass, nle + damping, max(np.abs(x).max() for x in (gravity, nle - gravity, damping, nle))

    return compare(simulation, index, model.nv, theirs)


def mjcf(path, simulation):
    import mujoco
    model = mujoco.MjModel.from_xml_path(path)
    if (model.jnt_type < 2).any():
        raise ValueError("free or ball joints")
    data = mujoco.MjData(model)
    index = order(simulation, {plain(model.joint(j).name): int(model.jnt_dofadr[j]) for j in range(model.njnt)})

    def theirs(q, u):
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, u, 0
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass) if mujoco.__version__ >= "3.4" else mujoco.mj_fullM(model, mass, data.qM)
        forces = (data.qfrc_bias, data.qfrc_passive, data.qfrc_actuator)
        return mass, data.qfrc_bias - data.qfrc_passive - data.qfrc_actuator, max(np.abs(x).max(initial=0) for x in forces)

    return compare(simulation, index, model.nv, theirs)


def main():
    bad = 0
    for path in sys.argv[1:]:
        try:
            scene = load(path)
            simulation = scene.simulation()
            worst = (urdf if path.endswith(".urdf") else mjcf)(path, simulation)
        except Exception as error:
            print(path, "| not compared:", (str(error).splitlines() or [type(error).__name__])[0][:150], flush=True)
            continue
        changed = [n for n in scene.notes if n.startswith("repaired") and ("inertia" in n or "mass" in n)]
        bad += max(worst) > GOOD and not changed
        words = f" | {len(changed)} inertias repaired" if changed else ""
        print(path, f"| M {worst[0]:.1e}, h {worst[1]:.1e} | {len(simulation.u)} velocities{words}", flush=True)
    sys.exit(bad > 0)


main()
