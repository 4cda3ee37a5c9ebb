"""Studies from Python are those of the command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import stickslip
from stickslip import Study

TEXT = """[study]
name = "belt"
description = "a box on a belt"
kind = "sweep"
scene = "conveyor"
seed = 3
[set]
"simulation.step" = 5e-3
[parameters]
speed = { values = [0.5, 1.0] }
friction = { uniform = [0.3, 0.5] }
[trials]
repeats = 20
chunk = 3
[quantities]
rides = { first = "box.vx >= 0.999*speed" }
"""


def belt(folder: Path) -> Study:
    file = folder / "belt.toml"
    file.write_text(TEXT)
    return Study.load(file)


def test_a_sweep_is_that_of_the_command_and_can_be_gone_on_with(tmp_path: Path) -> None:
    study = belt(tmp_path)
    assert (study.name, study.kind) == ("belt", "sweep")
    study.run(out=tmp_path / "p", trials=(0, 9))
    summary = study.run(out=tmp_path / "p", resume=True, jobs=2)
    command = [sys.executable, "-m", "stickslip.command", "sweep", str(tmp_path / "belt.toml"), "--json"]
    done = subprocess.run([*command, "--out", str(tmp_path / "c")], capture_output=True, text=True)
    assert json.loads(done.stdout) == summary and summary["trials"] == 40
    for file in (tmp_path / "c").glob("*.parquet"):
        assert file.read_bytes() == (tmp_path / "p" / file.name).read_bytes()


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    assert "grasp-map" in stickslip.builtin_studies()
    with pytest.raises(stickslip.SceneError, match="grasp-map"):
        Study.load("grasp-mop")
    study = belt(tmp_path)
    with pytest.raises(stickslip.StudyError, match="multiples of 3"):
        study.run(trials=(0, 10))
    with pytest.raises(stickslip.StudyError, match="expected --out"):
        study.run(engine="ray")
    with pytest.raises(stickslip.StudyError, match="expected --engine ray"):
        study.run(address="127.0.0.1:6379")
