"""Sweeps on Ray: two nodes on loopback, the files of a local sweep; dead workers and dead drivers cost little."""

from pathlib import Path
from typing import Any

import pytest

from ray_nodes import cluster as cluster
from ray_nodes import shards, start_driver, survive, wait_for_shards
from stickslip import Study
from stickslip.on_ray import sweep_on_ray
from test_studies import TEXT, belt

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]


def test_two_nodes_write_the_files_of_one_machine(cluster: Any, tmp_path: Path) -> None:
    study, file = belt(tmp_path), tmp_path / "belt.toml"
    study.run(out=tmp_path / "local")
    study.run(out=tmp_path / "both", trials=(0, 9))
    # half local, the rest on Ray
    left = sweep_on_ray(file, tmp_path / "both", resume=True, address=cluster.address)
    assert left == 40 - 9
    assert shards(tmp_path / "both") == shards(tmp_path / "local")
    # by the command, from nothing; and the other way round there is nothing left to do
    summary = study.run(out=tmp_path / "ray", engine="ray", address=cluster.address)
    assert summary == study.run(out=tmp_path / "local", resume=True)
    for name in ["summary.json", "manifest.json", "study.toml", "scene.toml"]:
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "local" / name).read_bytes(), name


SLOW = TEXT.replace("5e-3", "5e-5").replace("repeats = 20", "repeats = 30")


def test_a_killed_worker_costs_its_range_and_a_killed_driver_resumes(cluster: Any, tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(SLOW)
    Study.load(file).run(out=tmp_path / "local")
    print(survive(cluster, file, tmp_path / "ray", 20))
    assert shards(tmp_path / "ray") == shards(tmp_path / "local")


def test_a_directory_has_one_driver(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the first one is not about to end
    monkeypatch.setattr("stickslip.on_ray.PATIENCE", 0.5)
    file, out = tmp_path / "slow.toml", tmp_path / "ray"
    file.write_text(SLOW)
    first = start_driver(cluster, file, out)
    try:
        wait_for_shards(out, 1, first)
        with pytest.raises(OSError, match="another process is at work"):
            sweep_on_ray(file, out, resume=True, address=cluster.address)
    finally:
        first.kill()
        first.communicate()
