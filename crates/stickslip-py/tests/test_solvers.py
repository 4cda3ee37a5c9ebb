"""Solvers: known answers, sparse input, the same as the command, and plain words when the data make no problem."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import stickslip
from stickslip import solve, solve_contact, solve_lcp, solve_mcp, solve_mlcp, solve_qp

COMMAND = [sys.executable, "-m", "stickslip.command"]
FC3D = next((p / "shared/problems/fc3d" for p in Path(__file__).resolve().parents if (p / "shared/problems/fc3d").is_dir()), None)


@pytest.mark.parametrize("solver", ["auto", "lemke", "murty", "enumeration", "newton"])
def test_a_linear_problem_with_a_known_answer(solver: str) -> None:
    answer = solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0], solver=solver)
    assert answer.solved and answer.x == pytest.approx([4 / 3, 7 / 3], abs=1e-12)
    assert answer.residual < 1e-12 and answer.tried


def test_no_solution_is_a_status() -> None:
    answer = solve_lcp([[0.0]], [-1.0])
    assert answer.status == "no-solution" and not answer.solved


def test_bounds_of_mixed_problems() -> None:
    answer = solve_mlcp(np.eye(3), [1.0, 1.0, -5.0], [-np.inf, 0.0, -2.0], [np.inf, np.inf, 2.0])
    assert answer.solved and answer.x == pytest.approx([-1.0, 0.0, 2.0], abs=1e-12)
    free = solve_mlcp([[2.0, 1.0], [1.0, 3.0]], [1.0, 2.0])
    assert free.x == pytest.approx(np.linalg.solve([[2.0, 1.0], [1.0, 3.0]], [-1.0, -2.0]), abs=1e-12)


def test_one_contact_sticks_or_slips_as_coulomb_says() -> None:
    slips = solve_contact(np.eye(3), [-1.0, 3.0, 4.0], [0.5])
    assert slips.x == pytest.approx([1.0, -0.3, -0.4], abs=1e-10)
    sticks = solve_contact(np.eye(3), [-1.0, 0.3, 0.0], [0.5])
    assert sticks.x == pytest.approx([1.0, -0.3, 0.0], abs=1e-10)
    planar = solve_contact(np.eye(2), [-1.0, 3.0], [0.5])
    assert planar.x == pytest.approx([1.0, -0.5], abs=1e-10)


def test_a_nonlinear_problem() -> None:
    # x0 = 1 at its upper bound, x1 with x1^3 = 8 - x0 inside
    def f(x: NDArray[np.float64]) -> list[float]:
        return [x[0] - 3.0, x[1] ** 3 - 8.0 + x[0]]

    answer = solve_mcp(f, lambda x: [[1.0, 0.0], [1.0, 3 * x[1] ** 2]], [0.0, 0.0], [1.0, np.inf], [0.5, 1.0])
    assert answer.solved and answer.x == pytest.approx([1.0, 7.0 ** (1 / 3)], abs=1e-9)
    with pytest.raises(stickslip.ModelError, match="ZeroDivisionError"):
        solve_mcp(lambda x: [1 / 0], lambda x: [[1.0]], None, None, [0.0])
    with pytest.raises(ValueError, match="f has 1 entries; expected 2"):
        solve_mcp(lambda x: [1.0], lambda x: np.eye(2), None, None, [0.0, 0.0])


def test_a_quadratic_program() -> None:
    answer = solve_qp(np.eye(2), [-1.0, -2.0], [[1.0, 1.0]], upper=1.0)
    assert answer.solved and answer.x == pytest.approx([0.0, 1.0], abs=1e-12)
    assert answer.multipliers is not None and answer.multipliers == pytest.approx([-1.0], abs=1e-12)
    assert answer.objective == pytest.approx(-1.5)
    least = solve_qp(np.zeros((2, 2)), [0.0, 0.0], [[1.0, 1.0]], lower=2.0, upper=2.0)
    assert least.x == pytest.approx([1.0, 1.0], abs=1e-9)


def test_sparse_matrices_are_the_same_problems() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(7)
    a = rng.normal(size=(12, 12))
    matrix, q = a @ a.T + np.eye(12), rng.normal(size=12)
    for kind in [sparse.csr_array, sparse.csc_array, sparse.coo_array]:
        assert np.array_equal(solve_lcp(kind(matrix), q).x, solve_lcp(matrix, q).x)
        assert np.array_equal(solve_contact(kind(matrix), q, [0.3] * 4).x, solve_contact(matrix, q, [0.3] * 4).x)
        assert np.array_equal(solve_mlcp(kind(matrix), q, 0.0).x, solve_mlcp(matrix, q, 0.0).x)
    # rows in any order, entries at one place in two parts
    rows, columns = np.nonzero(matrix)
    parts = np.concatenate([matrix[rows, columns] * 0.75, matrix[rows, columns] * 0.25])
    order = rng.permutation(len(parts))
    twice = [np.concatenate([index, index])[order] for index in (rows, columns)]
    loose = sparse.coo_array((parts[order], (twice[0], twice[1])), shape=(12, 12))
    by_row = np.argsort(twice[0], kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(twice[0], minlength=12))])
    unsorted = sparse.csr_array((parts[order][by_row], twice[1][by_row], ends), shape=(12, 12))
    assert not unsorted.has_canonical_format
    for given in [loose, unsorted]:
        assert solve_contact(given, q, [0.3] * 4).x == pytest.approx(solve_contact(matrix, q, [0.3] * 4).x, abs=1e-9)
    assert not unsorted.has_canonical_format and unsorted.nnz == 288  # what is given is left as it is


def test_data_that_make_no_problem() -> None:
    with pytest.raises(stickslip.ProblemError, match="columns of M"):
        solve_lcp(np.zeros((2, 3)), [1.0, 2.0])
    with pytest.raises(stickslip.ProblemError, match="q"):
        solve_lcp(np.eye(2), [1.0, np.nan])
    with pytest.raises(stickslip.ProblemError, match="solver simplex: not a solver.*lemke"):
        solve_lcp(np.eye(2), [1.0, 1.0], solver="simplex")
    with pytest.raises(ValueError, match=r"W has shape \(2, 2\)"):
        solve_contact(np.eye(2), [1.0, 2.0, 3.0], [0.1])
    with pytest.raises(stickslip.ProblemError, match="friction"):
        solve_contact(np.eye(3), [-1.0, 0.0, 0.0], [-0.1])
    with pytest.raises(stickslip.ProblemError, match="symmetric"):
        solve_qp([[1.0, 2.0], [0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(ValueError, match="two-dimensional"):
        solve_lcp([1.0, 2.0], [1.0, 2.0])


@pytest.mark.skipif(FC3D is None, reason="shared/problems/fc3d is not there")
def test_stored_contact_problems_are_answered_as_by_the_command() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    assert FC3D is not None
    files = sorted(FC3D.glob("*.txt"), key=lambda p: p.stat().st_size)[:8]
    for file in files:
        done = subprocess.run([*COMMAND, "solve", str(file), "--json"], capture_output=True)
        theirs = json.loads(done.stdout)
        numbers = [w for line in file.read_text().splitlines() if not line.startswith("#") for w in line.split()]
        dimension, contacts, entries = (int(w) for w in numbers[1:4])
        values = np.array(numbers[4:], dtype=np.float64)
        n = dimension * contacts
        mu, q, rest = values[:contacts], values[contacts : contacts + n], values[contacts + n :].reshape(entries, 3)
        index = rest[:, :2].astype(int)
        matrix = sparse.coo_array((rest[:, 2], (index[:, 0], index[:, 1])), shape=(n, n))
        ours = solve_contact(matrix, q, mu)
        assert ours.x.tolist() == theirs["solution"] and ours.status == theirs["status"], file.name
        assert solve(file).x.tolist() == theirs["solution"]
        print(f"{file.name}: {contacts} contacts, {ours.status}, residual {ours.residual:.1e}")
