"""Compares imported robots with MuJoCo (MJCF) and Pinocchio (URDF):  compare.py [--repair] FILE ...

    STICKSLIP=target/release/stickslip python3 tests/robots/compare.py crates/stickslip-scene/tests/robots/*

For each file, at its start and at three random positions of its joints: mass, centre of mass and inertia of every body in
the world, anchor and axis of every joint, limits, damping and dry friction, and (MJCF) which bodies may touch. One line
per file with the worst relative difference; exit 1 if one is above 1e-9. `mujoco` and `pin` are installed in a folder of
their own on first use: $PEERS, by default ~/.cache/stickslip-peers."""
import json, os, random, re, subprocess, sys, tempfile, tomllib, venv

PEERS = os.environ.get("PEERS") or os.path.expanduser("~/.cache/stickslip-peers")
BINARY = os.path.abspath(os.environ.get("STICKSLIP") or sys.exit("expected STICKSLIP=/path/to/stickslip"))
GOOD = 1e-9

folder = os.path.join(PEERS, "venv")
if os.path.realpath(sys.prefix) != os.path.realpath(folder):
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "-q", "install", "mujoco", "pin"], check=True)
    sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)

import numpy as np


def plain(name, kind):
    """The name that a scene gives"""
    return name if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) else re.sub(r"[^A-Za-z0-9_-]", "_", name)[:48] or kind


def imported(path, positions, repair):
    options = ["--stepper", "stewart-trinkle", "--step", "1e-3", "--until", "1"]
    if path.endswith(".urdf"):
        options += ["--gravity", "0,0,-9.81", "--friction", "0.5", "--base", "fixed"]
    options += ["--repair"] if repair else []
    options += [f"--joint={name}={value!r}" for name, value in positions.items()]
    out = subprocess.run([BINARY, "import", path, *options], capture_output=True, text=True)
    if out.returncode:
        raise ValueError(out.stderr.strip().splitlines()[0])
    return tomllib.loads(out.stdout), out.stderr.splitlines()


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def properties(body):
    """Mass, centre and inertia in the world"""
    r = rotation(body.get("orientation", [1, 0, 0, 0]))
    p, inertia = np.array(body["position"]), np.array(body["inertia"])
    inertia = inertia if inertia.ndim == 2 else np.diag(inertia)
    return body["mass"], p + r @ np.array(body.get("center_of_mass", [0, 0, 0])), r @ inertia @ r.T


def together(parts):
    """The same of several bodies as one"""
    mass = sum(m for m, _, _ in parts)
    centre = sum(m * c for m, c, _ in parts) / mass
    inertia = sum(i + m * (np.dot(c - centre, c - centre) * np.eye(3) - np.outer(c - centre, c - centre)) for m, c, i in parts)
    return mass, centre, inertia


class Worst:
    def __init__(self):
        self.value, self.what, self.count = 0.0, "", 0

    def see(self, what, a, b, size=None):
        a, b = np.asarray(a, float), np.asarray(b, float)
        size = size or max(np.abs(a).max(initial=0), np.abs(b).max(initial=0), 1e-300)
        difference = np.abs(a - b).max(initial=0) / size
        self.count += 1
        if not difference <= self.value:
            self.value, self.what = difference, what

    def bodies(self, name, a, b):
        self.see(f"mass of {name}", a[0], b[0])
        self.see(f"centre of {name}", a[1], b[1], max(1.0, np.abs(b[1]).max()))
        self.see(f"inertia of {name}", a[2], b[2])


def mjcf(path, worst, repair):
    import mujoco
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    names = [model.joint(j).name for j in range(model.njnt)]
    scalar = [j for j in range(model.njnt) if model.jnt_type[j] in (2, 3) and names[j]]
    for k in range(4):
        positions = {}
        data.qpos[:] = model.qpos0
        scene, report = imported(path, {}, repair)
        followers = {j["name"] for j in scene.get("joint", []) if "mimic" in j}
        starts = {j["name"]: j.get("position", 0.0) for j in scene.get("joint", [])}
        for j in scalar:
            own = plain(names[j], "joint")
            low, high = model.jnt_range[j] if model.jnt_limited[j] else (-1, 1)
            value = starts.get(own, starts.get(own + "_joint", model.qpos0[model.jnt_qposadr[j]]))
            if k and own not in followers and own + "_joint" not in followers:
                value = positions[names[j]] = float(random.uniform(low, high))
            data.qpos[model.jnt_qposadr[j]] = value
        scene, report = imported(path, positions, repair)
        joints = {j["name"]: j for j in scene.get("joint", [])}
        for j in scalar:
            own = joints.get(plain(names[j], "joint")) or joints.get(plain(names[j], "joint") + "_joint")
            if own and "mimic" in own:
                data.qpos[model.jnt_qposadr[j]] = own.get("position", 0.0)
        mujoco.mj_forward(model, data)
        compare_mjcf(model, data, scene, worst, first=k == 0)


def compare_mjcf(model, data, scene, worst, first):
    import mujoco
    bodies = {b["name"]: b for b in scene.get("body", [])}
    joints = {j["name"]: j for j in scene.get("joint", [])}
    groups = {}
    for b in range(1, model.nbody):
        if model.body_weldid[b] and model.body_mass[b] > 0 and model.body_mocapid[b] < 0:
            r = data.ximat[b].reshape(3, 3)
            groups.setdefault(model.body_weldid[b], []).append((model.body_mass[b], data.xipos[b], r @ np.diag(model.body_inertia[b]) @ r.T))
    found = 0
    of = {}                                    # of each group the scene's bodies
    for weld, parts in groups.items():
        members = [model.body(b).name for b in range(model.nbody) if model.body_weldid[b] == weld]
        own = [n for m in members for n in bodies if m and (n == plain(m, "link") or re.fullmatch(re.escape(plain(m, "link")) + r"(_link)?(_\d+)?", n)) and "mass" in bodies[n]]
        exact = [plain(m, "link") for m in members if m]
        carriers = [n for n in own if n not in exact and (bodies[n]["mass"] < 0.01 * together(parts)[0])]
        own = [n for n in own if n in exact or n in carriers or n.endswith("_link")]
        if own:
            found += 1
            of[weld] = own
            worst.bodies(members[0], together([properties(bodies[n]) for n in dict.fromkeys(own)]), together(parts)) if len(carriers) == 0 else \
                worst.see(f"mass of {members[0]}", together([properties(bodies[n]) for n in dict.fromkeys(own)])[0], together(parts)[0])
    moving = sum(b["mass"] for b in bodies.values() if "mass" in b)
    worst.see("mass", moving, sum(m for parts in groups.values() for m, _, _ in parts) or moving)
    for j in range(model.njnt):
        name = model.joint(j).name
        own = joints.get(plain(name, "joint")) or joints.get(plain(name, "joint") + "_joint")
        if model.jnt_type[j] in (2, 3) and own and name:
            worst.see(f"axis of {name}", own["axis"], data.xaxis[j], 1.0)
            if model.jnt_type[j] == 3:
                away = np.array(own["anchor"]) - data.xanchor[j]
                worst.see(f"anchor of {name}", away - np.dot(away, data.xaxis[j]) * data.xaxis[j], np.zeros(3), 1.0)
            limits = own.get("limits")
            worst.see(f"limits of {name}", limits or [0, 0], model.jnt_range[j] if model.jnt_limited[j] else [0, 0], 1.0)
            dof = model.jnt_dofadr[j]
            worst.see(f"friction of {name}", own.get("friction", 0.0), model.dof_frictionloss[dof], max(1.0, model.dof_frictionloss[dof]))
    if first:
        contacts(model, scene, worst, of)


def contacts(model, scene, worst, of):
    """Pairs of bodies of which geoms may touch"""
    import mujoco
    static = lambda b: model.body_weldid[b] == 0
    excluded = {int(s) for s in model.exclude_signature}
    theirs = set()
    touching = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    for g in range(model.ngeom if touching else 0):
        for h in range(g + 1, model.ngeom):
            a, b = int(model.geom_bodyid[g]), int(model.geom_bodyid[h])
            wa, wb = int(model.body_weldid[a]), int(model.body_weldid[b])
            if wa == wb or not (model.geom_contype[g] & model.geom_conaffinity[h] or model.geom_contype[h] & model.geom_conaffinity[g]):
                continue
            if wa and wb and (model.body_weldid[model.body_parentid[wa]] == wb or model.body_weldid[model.body_parentid[wb]] == wa):
                continue
            if (a << 16) + b in excluded or (b << 16) + a in excluded:
                continue
            if wa in of and wb in of:
                theirs.add(tuple(sorted((wa, wb))))
    solid = {b["name"] for b in scene.get("body", []) if "shape" in b}
    apart = {tuple(sorted((x, y))) for n in scene.get("no_contact", []) for x in n["between"] for y in n["between"] if x != y}
    ours = set()
    for wa, a in of.items():
        for wb, b in of.items():
            if wa < wb and any(x in solid and y in solid and tuple(sorted((x, y))) not in apart for x in a for y in b):
                ours.add((int(wa), int(wb)))
    worst.see(f"pairs that touch ({len(ours)} here, {len(theirs)} there, {len(ours ^ theirs)} differ)", len(ours ^ theirs), 0, 1.0)


def urdf(path, worst, repair):
    import pinocchio as pin
    model = pin.buildModelFromUrdf(path)
    data = model.createData()
    for k in range(4):
        scene, _ = imported(path, {}, repair)
        if k == 0:
            positions = {j["name"]: j.get("position", 0.0) for j in scene.get("joint", [])}
            given = {}
        else:
            given = {}
            for j in scene.get("joint", []):
                name = next((n for n in model.names if plain(n, "joint") == j["name"]), None)
                if j["kind"] in ("revolute", "prismatic") and name and "mimic" not in j:
                    low, high = j.get("limits", [-1, 1])
                    given[name] = float(random.uniform(low, high))
        scene, _ = imported(path, given, repair)
        joints = {j["name"]: j for j in scene.get("joint", [])}
        bodies = {b["name"]: b for b in scene.get("body", [])}
        q = pin.neutral(model)
        for i, name in enumerate(model.names):
            own = joints.get(plain(name, "joint")) or joints.get(plain(name, "joint") + "_joint")
            if i == 0 or not own:
                continue
            s, at = own.get("position", 0.0), model.joints[i].idx_q
            if model.joints[i].nq == 2:
                q[at], q[at + 1] = np.cos(s), np.sin(s)
            elif model.joints[i].nq == 1:
                q[at] = s
        pin.forwardKinematics(model, data, q)
        for i, name in enumerate(model.names):
            own = joints.get(plain(name, "joint")) or joints.get(plain(name, "joint") + "_joint")
            if i == 0 or not own:
                continue
            body = bodies[own["between"][1]]
            at, inertia = data.oMi[i], model.inertias[i]
            if inertia.mass > 0 and body["mass"] > 0:
                r = at.rotation
                worst.bodies(name, properties(body), (inertia.mass, at.act(inertia.lever), r @ inertia.inertia @ r.T))
            if "axis" in own and own["kind"] != "planar":
                worst.see(f"anchor of {name}", own["anchor"], at.translation, 1.0)
            v = model.joints[i].idx_v
            if model.joints[i].nv == 1:
                worst.see(f"friction of {name}", own.get("friction", 0.0), model.lowerDryFrictionLimit[v] * -1 if hasattr(model, "lowerDryFrictionLimit") else model.friction[v], 1.0)
                worst.see(f"damping of {name}", own.get("viscous", 0.0), model.damping[v], max(1.0, model.damping[v]))
                if "limits" in own and model.joints[i].nq == 1:
                    at = model.joints[i].idx_q
                    worst.see(f"limits of {name}", own["limits"], [model.lowerPositionLimit[at], model.upperPositionLimit[at]], 1.0)


def main():
    random.seed(7)
    paths = [p for p in sys.argv[1:] if not p.startswith("--")]
    bad = 0
    for path in paths:
        worst = Worst()
        with open(path, errors="replace") as f:
            text = f.read()
        kind = urdf if "<robot" in text else mjcf if "<mujoco" in text else None
        if kind is None:
            continue
        try:
            kind(path, worst, "--repair" in sys.argv)
        except Exception as error:
            print(path, "| not compared:", str(error).splitlines()[0][:160], flush=True)
            continue
        bad += worst.value > GOOD
        print(path, f"| {worst.value:.1e} {worst.what} | {worst.count} compared", flush=True)
    sys.exit(bad > 0)


main()
