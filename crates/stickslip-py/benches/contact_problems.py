"""`stickslip.solve_contact` next to Siconos' Python calls, on the spatial contact problems of ../shared/problems/fc3d.

    python crates/stickslip-py/benches/contact_problems.py [TOLERANCE [SECONDS [FILE...]]]

Both solve the same problem in the same process, from zero impulses. One measure judges both, recomputed here: with
u = W r + q and s = r - (u + mu |u_t| n) the error is |r - P(s)| / max(|q|, |r|, |u|), P the projection on the cones (Siconos' own, rho = 1).
The time is the processor time of the call, the least of several where it is short. Siconos gets its problem in the storage that serves
it best (sparse blocks), made before the clock starts; stickslip gets a matrix of scipy.sparse. An answer that takes more than SECONDS of
processor time (default 5), or a crash, is a failure, and a new process goes on from there.

Needs Debian's python3-siconos, and stickslip, numpy and scipy for the same interpreter:

    /usr/bin/python3 -m venv --system-site-packages VENV && VENV/bin/pip install 'numpy>=1.26,<2' scipy target/wheels/stickslip-*.whl
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads would spin, and the clock is that of one

import numpy as np
import scipy.sparse as sparse
import siconos.numerics as sn  # type: ignore[import-not-found, import-untyped, unused-ignore]
from numpy.typing import NDArray

import stickslip

Array = NDArray[np.float64]
PEERS = ["NSGS", "NSN_AC", "NSN_FB", "PROX", "ADMM"]
FC3D = [p / "shared/problems/fc3d" for p in Path(__file__).resolve().parents]


@dataclass(frozen=True)
class Problem:
    """u = W r + q with Coulomb's law between u and r; per contact the normal row first."""

    mu: Array
    q: Array
    w: Any

    @staticmethod
    def read(file: Path) -> Problem:
        words = [w for line in file.read_text().splitlines() if not line.startswith("#") for w in line.split()]
        contacts, entries = int(words[2]), int(words[3])
        mu, q, rest = np.split(np.array(words[4:], dtype=np.float64), [contacts, 4 * contacts])
        rows, columns, values = rest.reshape(entries, 3).T
        size = (3 * contacts, 3 * contacts)
        return Problem(mu, q, sparse.csr_matrix((values, (rows.astype(int), columns.astype(int))), shape=size))

    def error(self, r: Array) -> float:
        u = self.w @ r + self.q
        s = (r - u).reshape(-1, 3).copy()
        s[:, 0] -= self.mu * np.linalg.norm(u.reshape(-1, 3)[:, 1:], axis=1)
        n, t = s[:, 0].copy(), np.linalg.norm(s[:, 1:], axis=1)
        inside, polar = t <= self.mu * n, self.mu * t <= -n
        onto = (n + self.mu * t) / (1.0 + self.mu**2)
        s[~inside, 0] = onto[~inside]
        s[~inside, 1:] *= (self.mu * onto / np.where(t > 0.0, t, 1.0))[~inside, None]
        s[polar] = 0.0
        sizes = [float(np.linalg.norm(x)) for x in (self.q, r, u)]
        return float(np.linalg.norm(r - s.ravel())) / max(sizes)

    def write_blocks(self, path: str) -> None:
        """The file from which Siconos reads blocks of 3 x 3, column by column."""
        blocks = self.w.tobsr((3, 3))
        blocks.sort_indices()
        contacts, count = len(self.mu), len(blocks.indices)
        ends = "\t".join(str(3 * (k + 1)) for k in range(contacts))
        with open(path, "w") as out:
            out.write(f"3\n{contacts}\n1\n{3 * contacts}\n{3 * contacts}\n{count}\n{contacts}\n{contacts}\n{ends}\n{ends}\n")
            out.write(f"{contacts + 1}\n{count}\n" + "\t".join(map(str, blocks.indptr)) + "\n" + "\t".join(map(str, blocks.indices)) + "\n")
            for k, block in enumerate(blocks.data):
                out.write(f"{k}\n" + "\n".join(f"{v:.17e}" for v in block.T.ravel()) + "\n")
            out.write(" ".join(f"{x:.17e}" for x in self.q) + "\n" + " ".join(f"{x:.17e}" for x in self.mu) + "\n0\n")


def ours(problem: Problem, tolerance: float) -> Callable[[], Array]:
    return lambda: stickslip.solve_contact(problem.w, problem.q, problem.mu, tolerance=tolerance).x


def theirs(problem: Problem, name: str, tolerance: float) -> Callable[[], Array]:
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        problem.write_blocks(file.name)
        given = sn.frictionContact_new_from_filename(file.name)

    def call() -> Array:
        options = sn.SolverOptions(getattr(sn, f"SICONOS_FRICTION_3D_{name}"))
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 2_000 if name.startswith("NSN") else 1_000_000
        if name == "NSGS":  # stops when it is there, not when its steps are that small
            options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
        r, u = np.zeros(len(problem.q)), np.zeros(len(problem.q))
        sn.fc3d_driver(given, r, u, options)
        return r

    return call


def measured(call: Callable[[], Array]) -> tuple[Array, float]:
    """The answer, and the least processor time (s) of calls that take 0.1 s together."""
    times: list[float] = []
    while not times or (sum(times) < 0.1 and len(times) < 200):
        start = time.thread_time()
        answer = call()
        times.append(time.thread_time() - start)
    return answer, min(times)


def work(file: Path, names: list[str], tolerance: float, answers: Any) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1), os.dup2(null, 2)  # Siconos prints
    problem = Problem.read(file)
    for name in names:
        call = ours(problem, tolerance) if name == "stickslip" else theirs(problem, name, tolerance)
        answer, seconds = measured(call)
        answers.put((name, problem.error(answer), seconds))


def processor_seconds(process: int) -> float:
    """What a process has used so far, by Linux's books."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it is gone
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(file: Path, tolerance: float, seconds: float) -> dict[str, tuple[float, float]]:
    """Error and time of every solver that answered."""
    found: dict[str, tuple[float, float]] = {}
    names = ["stickslip", *PEERS]
    while names:
        answers: Any = multiprocessing.SimpleQueue()
        process = multiprocessing.Process(target=work, args=(file, names, tolerance, answers))
        process.start()
        used, running = 0.0, True
        while running and names:
            process.join(0.02)
            running = process.is_alive()
            while not answers.empty():
                name, error, clock = answers.get()
                found[name] = (error, clock)
                names, used = names[1:], processor_seconds(process.pid or 0)
            if running and processor_seconds(process.pid or 0) > used + seconds:
                process.kill()
        process.join()
        names = names[1:]  # the one that ended the process
    return found


def main() -> None:
    tolerance = float(sys.argv[1]) if len(sys.argv) > 1 else 1e-8
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    folder = next((p for p in FC3D if p.is_dir()), None)
    files = [Path(a) for a in sys.argv[3:]] or (sorted(folder.glob("*.txt")) if folder else [])
    if not files:
        sys.exit("no problems: ../shared/problems/fc3d is not there")
    names = ["stickslip", *PEERS]
    print(f"error (bad: above {tolerance:g}) and processor time, ms; -: no answer in {seconds:g} s of processor time\n")
    print("| problem | contacts | " + " | ".join(names) + " |\n|" + " --- |" * (len(names) + 2))
    table = []
    for file in files:
        found = row(file, tolerance, seconds)
        table.append(found)
        text = ["-" if n not in found else f"{'bad ' if found[n][0] > tolerance else ''}{found[n][0]:.0e} {1e3 * found[n][1]:.2f}" for n in names]
        print(f"| {file.stem} | {len(Problem.read(file).mu)} | " + " | ".join(text) + " |", flush=True)
    print()
    for name in names:
        good = [f for f in table if name in f and f[name][0] <= tolerance]
        both = [f for f in good if "stickslip" in f and f["stickslip"][0] <= tolerance]
        mine, its = sum(f["stickslip"][1] for f in both), sum(f[name][1] for f in both)
        ratio = sorted(f[name][1] / f["stickslip"][1] for f in both)
        print(f"{name}: {len(good)} of {len(table)}; over the {len(both)} that both solve {its:.3f} s for our {mine:.3f} s, median ratio {ratio[len(ratio) // 2]:.1f}")


if __name__ == "__main__":
    main()
