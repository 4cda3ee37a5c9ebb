"""Steps imported robots and counts what their certificates say:  steps.py [--gains KP,KD] [--steps N] FILE|FOLDER ...

    STICKSLIP=target/release/stickslip python3 tests/robots/steps.py ~/.cache/stickslip-peers/robots/example-robot-data

Robots are *.urdf, *.sdf and those *.xml that hold a <mujoco> element. Each is imported with --repair, of a URDF the base
floating and 1 mm above a floor (fixed where it cannot float), every joint held where it starts by a controller, with at
most its effort, unless its name is that of an included file; then N steps (200) of 1 ms, in at most $CAP seconds (60). --gains none: limp. One line per file: steps,
those that missed, by what kind and between which bodies, time per step. At the end how many robots did without a miss,
and what the others miss."""
import collections, json, math, os, re, resource, subprocess, sys, tempfile, tomllib

BINARY = os.path.abspath(os.environ.get("STICKSLIP") or sys.exit("expected STICKSLIP=/path/to/stickslip"))
CAP = int(os.environ.get("CAP", 60))
ALWAYS = ["--repair", "--friction", "0.8", "--stepper", "stewart-trinkle", "--step", "1e-3"]


def models(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            for name in sorted(names):
                full = os.path.join(folder, name)
                if name.startswith("stand_"):                      # what stand.py writes
                    continue
                if name.endswith((".urdf", ".sdf")):
                    yield full
                elif name.endswith(".xml"):
                    with open(full, errors="replace") as f:
                        if re.search(r"<mujoco[\s>]", f.read()):
                            yield full


def call(*words):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (CAP, CAP))
    return subprocess.run([BINARY, *words], capture_output=True, text=True, errors="replace", preexec_fn=limit)


def turn(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def obj(path, scale):
    with open(path, errors="replace") as f:
        return [[scale * float(x) for x in line.split()[1:4]] for line in f if line.startswith("v ")]


def lowest(part, folder, q, p):
    """The least height of a shape, or of a ball about what it is"""
    def of(points, radius=0.0):
        return min(p[2] + turn(q, x)[2] for x in points) - radius
    kind, value = next(iter(part.get("shape", part).items()))
    if kind == "box":
        h = [0.5 * x for x in value["size"]]
        return of([[a * h[0], b * h[1], c * h[2]] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    if kind == "sphere":
        return of([[0, 0, 0]], value["radius"])
    if kind == "capsule":
        return of([[0, 0, s * value["length"] / 2] for s in (-1, 1)], value["radius"])
    if kind == "cylinder":
        axis = turn(q, [0, 0, 1])[2]
        return p[2] - abs(axis) * value["height"] / 2 - value["radius"] * math.sqrt(max(0.0, 1 - axis * axis))
    if kind == "ellipsoid":
        a = [turn(q, e)[2] * s for e, s in zip(([1, 0, 0], [0, 1, 0], [0, 0, 1]), value["semi_axes"])]
        return p[2] - math.hypot(*a)
    points = value.get("points") or obj(os.path.join(folder, value["file"]), value.get("scale", 1.0)) if isinstance(value, dict) else []
    return of(points) if points else math.inf


def floor(scene, folder):
    """1 mm below everything that moves"""
    least = math.inf
    for body in scene.get("body", []):
        shape = body.get("shape")
        if not shape or body.get("fixed"):
            continue
        q, p = body.get("orientation", [1, 0, 0, 0]), body.get("position", [0, 0, 0])
        for part in shape["compound"] if "compound" in shape else [shape]:
            at = turn(q, part.get("position", [0, 0, 0]))
            least = min(least, lowest(part, folder, times(q, part.get("orientation", [1, 0, 0, 0])), [a + b for a, b in zip(p, at)]))
    return None if math.isinf(least) else least - 1e-3


def times(a, b):
    w, x, y, z = a
    s, i, j, k = b
    return [w * s - x * i - y * j - z * k, w * i + x * s + y * k - z * j, w * j - x * k + y * s + z * i, w * k + x * j - y * i + z * s]


def step(path, folder, gains, steps):
    """A line of words on a robot, and what it missed by kind"""
    options = [*ALWAYS, "--until", repr(steps * 1e-3)]
    urdf = path.endswith(".urdf")
    options += ["--gravity", "0,0,-9.81"] if not path.endswith(".xml") else []
    at = os.path.join(folder, "robot.toml")
    for base in ["floating", "fixed", None] if urdf else [None]:
        extra = ["--base", base] if base else []
        p = call("import", path, *options, *extra, "-o", at, "--force")
        if p.returncode == 0:
            break
    if p.returncode:
        return "not imported: " + ((p.stderr.strip() or "time").splitlines()[0])[-150:], None
    with open(at, "rb") as f:
        scene = tomllib.load(f)
    if base == "floating":
        ground = floor(scene, folder)
        extra += [f"--ground={ground!r}"] if ground is not None else []
    if gains:
        original = {re.sub(r"[^A-Za-z0-9_-]", "_", n)[:48]: n for n in re.findall(r'<joint[^>]*?\sname\s*=\s*"([^"]*)"', open(path, errors="replace").read())}
        for j in scene.get("joint", []):
            driven = any(f.get("joint") == j["name"] for f in scene.get("force", []))
            if j["kind"] in ("revolute", "prismatic") and "mimic" not in j and not driven:
                name = original.get(j["name"]) or original.get(re.sub(r"_joint(_\d+)?$", "", j["name"]), j["name"])
                extra += [f"--controller={name}={j.get('position', 0.0)!r},{gains}"]
    p = call("import", path, *options, *extra, "-o", at, "--force")
    limp = p.returncode != 0                                       # joints that included files name otherwise
    if limp:
        call("import", path, *options, *[x for x in extra if not x.startswith("--controller")], "-o", at, "--force")
    p = call("run", at, "--json")
    try:
        r = json.loads(p.stdout)
    except ValueError:
        return ("not finished in %d s" % CAP if p.returncode < 0 else "not run: " + (p.stderr.strip() or "?").splitlines()[0][-200:]), {"not run": 1}
    c, w = r["certificate"], r["certificate"]["worst"]
    words = f"{base or 'file'}{', limp' if limp or not gains else ''} | {r['steps']} steps, {c['missed_steps']} missed | {r['wall_seconds'] / max(1, r['steps']) * 1e6:.0f} µs"
    if not c["missed_steps"]:
        return words, {}
    return words + f" | {w['what']} {w['value']:.1e} at {w['time']:.3f} {w.get('contact', '')}", {w["what"]: c["missed_steps"]}


def main():
    words, gains, steps, paths = sys.argv[1:], "100,2", 200, []
    while words:
        word = words.pop(0)
        if word == "--gains":
            gains = words.pop(0)
        elif word == "--steps":
            steps = int(words.pop(0))
        else:
            paths.append(word)
    count, kinds = collections.Counter(), collections.Counter()
    for path in models(paths):
        with tempfile.TemporaryDirectory() as folder:
            line, missed = step(path, folder, None if gains == "none" else gains, steps)
        print(path, line, sep=" | ", flush=True)
        count["not imported" if missed is None else "certified" if not missed else "missed"] += 1
        kinds.update(missed or {})
    print(dict(count), dict(kinds))


main()
