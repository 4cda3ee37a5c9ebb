"""Two Ray nodes on loopback, for the tests of Ray: those are left out where the package ray is not installed."""

import os
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """With a core each; its address is `cluster.address`."""
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": str(tmp_path_factory.mktemp("ray")), "RAY_USAGE_STATS_ENABLED": "0"}
    cluster = cluster_utils.Cluster(
        initialize_head=True,
        connect=False,
        head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False},
    )
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.2")
    yield cluster
    ray.shutdown()
    cluster.shutdown()
