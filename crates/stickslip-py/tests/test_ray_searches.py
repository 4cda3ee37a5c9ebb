"""Designs and fits on Ray: the search is the driver's, its trials and starts are the workers'; the files of one machine."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ray_nodes import cluster as cluster
from stickslip import Study

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

DESIGN = """[study]
name = "grip"
description = "the least friction that stops the slip in time"
kind = "design"
scene = "conveyor"
seed = 5
[set]
"simulation.step" = 2e-3
"simulation.until" = 0.5
[parameters]
friction = { start = 0.6, lower = 0.25, upper = 1.0 }
[quantities]
rides = { first = "box.vx >= 0.999*speed" }
[design]
objective = "friction"
constraints = ["max.rides <= 0.3"]
penalty = 10
evaluations = 40
restarts = 0
[[case]]
name = "slow"
set = { speed = 0.5 }
[[case]]
name = "fast"
set = { speed = 1.0 }
[verify]
"simulation.step" = 1e-3
"""

FIT = """[study]
name = "levels"
description = "two noise levels, three starts"
kind = "fit"
scene = "sliding-particle"
[parameters]
noise = { values = [1e-3, 1e-2] }
friction = { start = 0.5, lower = 0, upper = 1 }
[fit]
methods = ["least-squares", "mpec"]
starts = 3
[[data]]
name = "positions"
synthetic = { every = 0.07, jitter = 0.2, missing = 0.3 }
columns = [{ signal = "particle.x", deviation = "noise" }]
[truth]
friction = 0.2
"""


def files(folder: Path) -> dict[str, bytes]:
    """All files of a directory, but for its lock."""
    found = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def command(*words: str) -> "subprocess.Popen[bytes]":
    whole = [sys.executable, "-m", "stickslip.command", *words]
    return subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("text", [DESIGN, FIT], ids=["design", "fit"])
def test_designs_and_fits_have_the_files_of_one_machine(cluster: Any, tmp_path: Path, text: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(text)
    study = Study.load(file)
    summary = study.run(out=tmp_path / "local", jobs=1)
    assert study.run(out=tmp_path / "ray", engine="ray", address=cluster.address) == summary
    local = files(tmp_path / "local")
    assert files(tmp_path / "ray") == local
    print(f"{study.kind}: {len(local)} files, {sum(map(len, local.values()))} bytes")
    # without a directory the summary is all there is
    assert study.run(engine="ray", address=cluster.address) == summary


def test_half_a_design_here_and_half_on_ray_is_a_whole_one(cluster: Any, tmp_path: Path) -> None:
    file, local, both = tmp_path / "study.toml", tmp_path / "local", tmp_path / "both"
    file.write_text(DESIGN)
    study = Study.load(file)
    summary = study.run(out=local)
    on_ray = ("--engine", "ray", "--address", cluster.address)
    for count, options in [("7", ()), ("15", on_ray), ("20", ()), ("40", on_ray)]:
        done = command("design", str(file), "--out", str(both), "--resume", "--evaluations", count, *options)
        _, said = done.communicate(timeout=120)
        assert done.returncode == 0, said
        log = (both / "evaluations.jsonl").read_bytes()
        assert log.count(b"\n") == min(int(count), summary["evaluations"])
        assert (local / "evaluations.jsonl").read_bytes().startswith(log)
    assert files(both) == files(local)


@pytest.mark.parametrize("text", [DESIGN, FIT], ids=["design", "fit"])
def test_a_search_whose_driver_is_killed_goes_on(cluster: Any, tmp_path: Path, text: str) -> None:
    # slow enough to be killed in the middle
    text = text.replace("2e-3", "2e-4")
    file, local, torn = tmp_path / "study.toml", tmp_path / "local", tmp_path / "torn"
    file.write_text(text)
    study = Study.load(file)
    study.run(out=local)
    driver = command(study.kind, str(file), "--out", str(torn), "--engine", "ray", "--address", cluster.address)

    def progress() -> int:
        log = torn / "evaluations.jsonl"
        return log.read_bytes().count(b"\n") if log.exists() else len(list(torn.glob("cases/*.json")))

    for _ in range(2400):
        if progress():
            break
        assert driver.poll() is None, driver.communicate()[1]
        time.sleep(0.02)
    driver.kill()
    driver.communicate()
    was = progress()
    study.run(out=torn, resume=True, engine="ray", address=cluster.address)
    assert files(torn) == files(local)
    print(f"{study.kind}: {was} of {progress()} were there when the driver died")


def test_a_worker_that_has_another_study_refuses(cluster: Any, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(DESIGN)
    words = [sys.executable, "-m", "stickslip.on_ray", "--answer", "0123456789abcdef", str(file)]
    ask = '{"request": 0, "ask": {"trial": {"case": 0, "verify": false, "sought": [4603579539098121011]}}}\n'
    driver = subprocess.Popen([*words, "--address", cluster.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert driver.stdin and driver.stdout
    driver.stdin.write(ask)
    driver.stdin.flush()
    answer = json.loads(driver.stdout.readline())
    driver.communicate(timeout=60)
    assert answer["request"] == 0 and "expected those of the driver" in answer["error"], answer
    assert driver.returncode == 0
