"""Imports robots whose files are damaged, and looks for panics and hangs:  mutate.py [--seed N] [--count N] FILE ...

    STICKSLIP=target/release/stickslip python3 tests/robots/mutate.py --count 1000 a.urdf b.xml c.sdf

Each copy, beside the original, has one to three changes: a byte, a number, an attribute, an element taken out, doubled or
moved, the end cut off. It has to become a scene that `check` reads, or an error that says the file (and mostly the line)
within 20 s. Exit 1 where one does not."""
import collections, os, random, re, subprocess, sys, tempfile

BINARY = os.path.abspath(os.environ.get("STICKSLIP") or sys.exit("expected STICKSLIP=/path/to/stickslip"))
NUMBERS = ["0", "-1", "1e308", "1e-320", "nan", "inf", "-0.0", "1e400", "", "x", "1 2", "0.1 0.2 0.3 0.4", "99999999999999999999"]


def damage(text, rng):
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(7)
        numbers = list(re.finditer(r'(?<=["\s])-?\d+\.?\d*(?:[eE][-+]?\d+)?(?=["\s])', text))
        attributes = list(re.finditer(r'\s[A-Za-z_]+\s*=\s*"[^"]*"', text))
        elements = list(re.finditer(r"<([A-Za-z_]+)[^<>]*?(?:/>|>[^<>]*</\1>)", text))
        if kind == 0 and text:
            k = rng.randrange(len(text))
            text = text[:k] + chr(rng.choice([rng.randrange(1, 128), 0x2603, 0x202E])) + text[k + 1:]
        elif kind == 1 and numbers:
            m = rng.choice(numbers)
            text = text[:m.start()] + rng.choice(NUMBERS) + text[m.end():]
        elif kind == 2 and attributes:
            m = rng.choice(attributes)
            text = text[:m.start()] + text[m.end():]
        elif kind == 3 and elements:
            m = rng.choice(elements)
            text = text[:m.start()] + text[m.end():]
        elif kind == 4 and elements:
            m = rng.choice(elements)
            text = text[:m.end()] + m.group() + text[m.end():]
        elif kind == 5 and len(elements) > 1:
            a, b = rng.choice(elements), rng.choice(elements)
            text = text[:a.start()] + b.group() + text[a.end():]
        elif kind == 6 and attributes:
            a, b = rng.choice(attributes), rng.choice(attributes)
            value = re.search(r'"([^"]*)"', b.group()).group(1)
            text = text[:a.start()] + re.sub(r'"[^"]*"', lambda _: f'"{value}"', a.group()) + text[a.end():]
    return text[:rng.randrange(len(text) + 1)] if rng.random() < 0.03 else text


def attempt(path, seed, folder):
    """What became of a damaged copy: `scene`, `error`, or what is wrong"""
    rng = random.Random(seed)
    with open(path, errors="replace") as f:
        text = damage(f.read(), rng)
    stem, ending = os.path.splitext(path)
    copy = f"{stem}_damaged_{os.getpid()}{ending}"
    out = os.path.join(folder, "robot.toml")
    options = ["--friction", "0.5", "--stepper", "stewart-trinkle", "--step", "1e-3", "--until", "1e-3"]
    options += ["--repair"] if rng.random() < 0.5 else []
    options += ["--gravity", "0,0,-9.81"] if ending != ".xml" else []
    options += ["--base", "floating"] if ending == ".urdf" else []
    try:
        with open(copy, "w", errors="replace") as f:
            f.write(text)
        for words in (["import", copy, *options, "-o", out, "--force"], ["run", out, "--json"]):
            p = subprocess.run([BINARY, *words], capture_output=True, text=True, errors="replace", timeout=20)
            if p.returncode not in (0, 1, 2, 3, 4) or "panicked" in p.stderr:
                return f"exit {p.returncode}: {p.stderr.strip()[:200]}"
            if p.returncode and words[0] == "import":
                lines = p.stderr.strip().splitlines()
                good = lines and ("_damaged_" in lines[0] or "--" in lines[0] or "/" in lines[0])
                return "error" if good else f"no place: {p.stderr.strip()[:200]}"
            if p.returncode and not p.stdout.startswith("{") and not p.stderr.startswith("stopped: "):
                return "error of the scene" if "robot.toml" in p.stderr else f"run: {p.stderr.strip()[:200]}"
        return "scene"
    except subprocess.TimeoutExpired:
        return f"{words[0]} not finished in 20 s"
    finally:
        os.remove(copy)


def main():
    words, seed, count, paths = sys.argv[1:], 1, 100, []
    while words:
        word = words.pop(0)
        if word in ("--seed", "--count"):
            seed, count = (int(words.pop(0)), count) if word == "--seed" else (seed, int(words.pop(0)))
        else:
            paths.append(word)
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            path = paths[k % len(paths)]
            result = attempt(path, seed + k, folder)
            known = result in ("scene", "error", "error of the scene")
            tally[result if known else "WRONG"] += 1
            if not known:
                print(path, f"seed {seed + k}:", result, flush=True)
    print(dict(tally))
    sys.exit(tally["WRONG"] > 0)


main()
