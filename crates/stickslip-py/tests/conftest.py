"""A test that hangs fails: with where every thread stands, and the end of the tests."""

import faulthandler
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_hang(request: pytest.FixtureRequest) -> Iterator[None]:
    # a sweep on Ray takes its time
    faulthandler.dump_traceback_later(900 if request.node.get_closest_marker("ray") else 300, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
