"""Two Ray nodes on loopback for tests, and a sweep on them during which a worker and then the driver are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def start_nodes(temporary: str) -> Any:
    """A cluster of two nodes with a core each; its address is `cluster.address`."""
    from ray.cluster_utils import Cluster  # type: ignore[import-not-found, import-untyped, unused-ignore]

    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": temporary, "RAY_USAGE_STATS_ENABLED": "0"}
    head = {"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False}
    cluster = Cluster(initialize_head=True, connect=False, head_node_args=head)
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
    return cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Where the package ray is not installed, its tests are left out."""
    ray = pytest.importorskip("ray")
    cluster = start_nodes(str(tmp_path_factory.mktemp("ray")))
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def shards(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("trials-*.parquet")}


def start_driver(cluster: Any, file: Path, out: Path, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "stickslip.on_ray", str(file), str(out), "--address", cluster.address, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_shards(out: Path, count: int, driver: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 900
    while time.monotonic() < end:
        if len(list(out.glob("trials-*.parquet"))) >= count:
            return
        assert driver.poll() is None, driver.stderr.read() if driver.stderr else b""
        time.sleep(0.02)
    raise AssertionError("no shard came")


def workers(temporary: str) -> list[int]:
    """Workers of this cluster that are at a chunk: Ray names a worker after its task, our cluster has its own RAY_TMPDIR."""

    def is_ours(process: Path) -> bool:
        try:
            if not (process / "cmdline").read_bytes().startswith(b"ray::chunk"):
                return False
            return f"RAY_TMPDIR={temporary}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            return False

    return [int(process.name) for process in Path("/proc").glob("[0-9]*") if is_ours(process)]


def worker_at_work(driver: "subprocess.Popen[bytes]") -> int:
    """One that is at a chunk: between two of them there may be none for a moment."""
    for _ in range(6000):
        if found := workers(os.environ["RAY_TMPDIR"]):
            return found[0]
        assert driver.poll() is None, "the driver has ended"
        time.sleep(0.01)
    raise AssertionError("no worker is at work")


def times(folder: Path) -> dict[str, int]:
    """When each shard was written, ns."""
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("trials-*.parquet")}


def survive(cluster: Any, file: Path, out: Path, count: int) -> str:
    """Runs a sweep of so many chunks through both deaths; returns what happened, in words."""
    driver = start_driver(cluster, file, out)
    try:
        wait_for_shards(out, count // 8, driver)
        before = times(out)
        os.kill(worker_at_work(driver), signal.SIGKILL)
        wait_for_shards(out, count // 3, driver)
    finally:
        driver.kill()
        driver.communicate()
    there = times(out)
    # what had its name was not touched again
    assert before.items() <= there.items()
    assert len(there) < count, "the driver was faster than the kill"
    again = start_driver(cluster, file, out, "--resume")
    _, said = again.communicate(timeout=1800)
    assert again.returncode == 0, said
    assert there.items() <= times(out).items() and len(times(out)) == count
    return (
        f"a worker killed at {len(before)} of {count} chunks, the driver at {len(there)}; "
        f"resumed: {said.decode().strip().splitlines()[-1]}"
    )
