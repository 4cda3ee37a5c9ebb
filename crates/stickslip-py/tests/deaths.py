"""A sweep on Ray during which a worker and then the driver are killed: what the test and the check of 2000 trials share."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def shards(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("trials-*.parquet")}


def start_driver(cluster: Any, file: Path, out: Path, *options: str) -> "subprocess.Popen[bytes]":
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
            if title.startswith(b"ray::chunk") and f"RAY_TMPDIR={temporary}".encode() in environment.split(b"\0"):
                found.append(int(folder.name))
    return found


def times(folder: Path) -> dict[str, int]:
    """When each shard was written, ns."""
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("trials-*.parquet")}


def survive(cluster: Any, file: Path, out: Path, count: int) -> str:
    """Runs a sweep of so many chunks through both deaths; returns what happened, in words."""
    driver = start_driver(cluster, file, out)
    wait_for_shards(out, count // 8, driver)
    victims = workers(os.environ["RAY_TMPDIR"])
    assert victims, "no worker is at work"
    before = times(out)
    os.kill(victims[0], signal.SIGKILL)
    wait_for_shards(out, count // 3, driver)
    driver.kill()
    driver.communicate()
    there = times(out)
    # what had its name was not touched again
    assert before.items() <= there.items()
    assert len(there) < count, "the driver was faster than the kill"
    again = start_driver(cluster, file, out, "--resume")
    _, said = again.communicate(timeout=600)
    assert again.returncode == 0, said
    assert there.items() <= times(out).items() and len(times(out)) == count
    return (
        f"a worker killed at {len(before)} of {count} chunks, the driver at {len(there)}; "
        f"resumed: {said.decode().strip().splitlines()[-1]}"
    )
