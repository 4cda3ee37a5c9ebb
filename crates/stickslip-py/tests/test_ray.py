"""Sweeps on Ray: two nodes on loopback, the files of a local sweep; dead workers and dead drivers cost little.

Run where the package ray is installed: `pip install ray`.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

from stickslip import Study  # noqa: E402
from stickslip.on_ray import sweep_on_ray  # noqa: E402
from test_studies import TEXT, belt  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": str(tmp_path_factory.mktemp("ray")), "RAY_USAGE_STATS_ENABLED": "0"}
    cluster = Cluster(
        initialize_head=True,
        connect=False,
        head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False},
    )
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def shards(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("trials-*.parquet")}


def test_two_nodes_write_the_files_of_one_machine(cluster: Cluster, tmp_path: Path) -> None:
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


SLOW = TEXT.replace("5e-3", "2e-5").replace("repeats = 20", "repeats = 30")


def start_driver(cluster: Cluster, file: Path, out: Path, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "stickslip.on_ray", str(file), str(out), "--address", cluster.address, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_shards(out: Path, count: int, driver: "subprocess.Popen[bytes]") -> None:
    for _ in range(2400):
        if len(list(out.glob("trials-*.parquet"))) >= count:
            return
        assert driver.poll() is None, driver.stderr.read() if driver.stderr else b""
        time.sleep(0.05)
    raise AssertionError("no shard came")


def workers(temporary: str) -> list[int]:
    """Workers of this cluster that are at a chunk: Ray names a worker after its task, our cluster has its own RAY_TMPDIR."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                title, environment = ((folder / name).read_bytes() for name in ("cmdline", "environ"))
            except OSError:
                continue
            if title.startswith(b"ray::_chunk") and f"RAY_TMPDIR={temporary}".encode() in environment.split(b"\0"):
                found.append(int(folder.name))
    return found


def test_a_killed_worker_costs_its_range_and_a_killed_driver_resumes(cluster: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(SLOW)
    Study.load(file).run(out=tmp_path / "local")
    out = tmp_path / "ray"
    driver = start_driver(cluster, file, out)
    wait_for_shards(out, 2, driver)
    victims = workers(os.environ["RAY_TMPDIR"])
    assert victims, "no worker is at work"
    os.kill(victims[0], signal.SIGKILL)
    wait_for_shards(out, 5, driver)
    driver.kill()
    driver.wait()
    done = len(shards(out))
    assert done < 20
    again = start_driver(cluster, file, out, "--resume")
    _, said = again.communicate(timeout=300)
    assert again.returncode == 0, said
    assert shards(out) == shards(tmp_path / "local")
    print(f"{done} of 20 shards were there when the driver died; {said.decode().strip().splitlines()[-1]}")
