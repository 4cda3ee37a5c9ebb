"""Runs from Python are those of the command, bit for bit, and keep what they promise."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stickslip
from stickslip import Scene

COMMAND = [sys.executable, "-m", "stickslip.command"]


# the program that `cargo build` makes, where the test script says so; otherwise the one in the package
PROGRAM = [os.environ["STICKSLIP_PROGRAM"]] if "STICKSLIP_PROGRAM" in os.environ else COMMAND

# closed forms, formulas and worlds, plane and space, joints, drives and supports
SAME = ["woodpecker", "woodpecker-formula", "slide-to-roll", "four-bar", "bouncing-ball", "painleve-rod", "rolling-disc"]
SAME += ["pushed-block-on-belt", "box-stack", "double-pendulum", "tripod-slider", "compliant-disc", "rover", "stick-slip"]
SAME += ["block-over-hole", "coulomb-oscillator", "journal-pendulum", "tripod-push"]
OTHERS = [("slide-to-roll", "anitescu-potra"), ("slide-to-roll", "moreau")]


@pytest.mark.parametrize(("name", "stepper"), [*((name, None) for name in SAME), *OTHERS])
def test_python_and_command_give_the_same_bits(name: str, stepper: str | None, tmp_path: Path) -> None:
    scene = Scene.load(name, stepper=stepper)
    until = repr(min(0.2, scene.until, 100 * scene.step))
    options = ["--until", until, "--out", str(tmp_path / "c"), *(["--stepper", stepper] if stepper else [])]
    done = subprocess.run([*PROGRAM, "run", name, *options], capture_output=True)
    assert done.returncode == 0, done.stderr
    run = scene.changed(until=until).run(out=tmp_path / "p")
    with open(tmp_path / "c" / "trajectory.csv") as file:
        header, *rows = list(csv.reader(file))
    assert run.columns == header
    assert np.array_equal(run.data, np.array(rows, dtype=np.float64))
    for file_name in ["scene.toml", "trajectory.csv", "contacts.csv", "events.jsonl", "checkpoint.json"]:
        assert (tmp_path / "p" / file_name).read_bytes() == (tmp_path / "c" / file_name).read_bytes(), file_name
    [ours, theirs] = [json.loads((tmp_path / d / "summary.json").read_text()) for d in "pc"]
    del ours["wall_seconds"], theirs["wall_seconds"]
    assert ours == theirs


def test_a_sphere_slides_and_then_rolls_as_the_exact_solution() -> None:
    run = Scene.load("slide-to-roll").run()
    assert run.certified and run.stopped is None
    assert run["sphere.vx"][-1] == pytest.approx(2.0 * 5 / 7, abs=1e-12)
    assert run.certificate["missed_steps"] == 0
    ledger = run.energy
    lost = ledger["dissipated_friction"][-1] + ledger["dissipated_impact"][-1] - ledger["discretisation"][-1]
    assert ledger["kinetic"][0] - ledger["kinetic"][-1] == pytest.approx(lost, rel=1e-9)
    contacts = run.contacts
    assert set(contacts.label) == {"sphere / floor"} or len(set(contacts.label)) == 1
    assert contacts.friction_force.shape == (len(contacts), 3)
    assert contacts.normal_force == pytest.approx(9.81)
    assert {"slip", "stick"} >= set(contacts.mode)


def test_the_data_cannot_be_changed_and_needs_no_copy() -> None:
    run = Scene.load("slide-to-roll").run()
    assert run.data is run.data and run["sphere.x"].base is not None
    with pytest.raises(ValueError):
        run.data[0, 0] = 1.0
    with pytest.raises(KeyError, match="sphere.x"):
        run["sphere.q"]


def test_a_run_goes_on_from_a_checkpoint_as_if_it_had_not_stopped() -> None:
    whole = Scene.load("woodpecker", until=0.1).run()
    half = Scene.load("woodpecker", until=0.04).run()
    rest = Scene.load("woodpecker", until=0.1).run(start=half.checkpoint)
    assert np.array_equal(whole.data[-len(rest) :], rest.data)
    assert np.array_equal(whole.data, np.vstack([half.data, rest.data]))
    with pytest.raises(ValueError, match="another scene"):
        Scene.load("slide-to-roll").run(start=half.checkpoint)


def test_missed_tolerances_are_never_silent() -> None:
    scene = Scene.load("woodpecker", until=0.05, set={"tolerance.penetration": 1e-9})
    with pytest.warns(stickslip.NotCertifiedWarning, match="missed a tolerance"):
        run = scene.run()
    assert not run.certified and "NOT certified" in repr(run)
    assert any(e.kind == "missed" and e.contact == "penetration" for e in run.events)
    with pytest.raises(stickslip.NotCertified, match="penetration") as caught:
        scene.run(strict=True)
    assert len(caught.value.run) < len(run) and not caught.value.run.certified


def test_where_no_step_can_be_taken_what_was_computed_is_kept() -> None:
    scene = Scene.load("slide-to-roll", step=0.01)
    with pytest.raises(stickslip.StepError, match="finite") as caught:
        scene.run(forces=[lambda q, u, t: [0.0] * 5 + [1e308 * (1.0 if t > 0.3 else 0.0)]])
    run = caught.value.run
    assert run is not None and 0.2 < run.time[-1] < 0.4 and not run.certified


def test_rows_are_kept_every_so_many_steps() -> None:
    scene = Scene.load("woodpecker", until=0.01)
    run, sparse = scene.run(), scene.run(every=30)
    assert np.array_equal(sparse.data[:-1], run.data[::30]) and sparse.time[-1] == run.time[-1]
    with pytest.raises(ValueError, match="every"):
        scene.run(every=0)


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    Scene.load("woodpecker", until=0.01).run(progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (100, 100)
    Scene.load("woodpecker", until=0.01).run(progress=True)
    assert "100/100 steps" in capsys.readouterr().err


def test_tables_plots_and_pages() -> None:
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    run = Scene.load("woodpecker", until=0.05).run()
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == run.columns
    axes = run.plot("y", "phi_S")
    assert [line.get_label() for line in axes.get_lines()] == ["y", "phi_S"]
    assert [line.get_label() for line in run.plot().get_lines()] == ["y", "phi_M", "phi_S"]
    assert "<html" in run.page.lower() and "woodpecker" in run.page
    assert run._repr_html_().startswith("<iframe")
    assert set(run.body("phi_S")) == {"position", "velocity"}
