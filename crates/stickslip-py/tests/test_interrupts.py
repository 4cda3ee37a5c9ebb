"""Ctrl-C, fork and threads: runs stop cleanly, keep what was computed and leave the interpreter usable."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import stickslip
from stickslip import Scene


def interrupt_after(seconds: float) -> None:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


def test_an_interrupt_stops_a_run_and_keeps_it() -> None:
    scene = Scene.load("woodpecker", until=1e4)
    interrupt_after(0.3)
    start = time.monotonic()
    with pytest.raises(stickslip.Interrupted) as caught:
        scene.run(every=100)
    assert time.monotonic() - start < 30
    run = caught.value.run
    assert isinstance(caught.value, KeyboardInterrupt)
    assert len(run) > 2 and run.stopped == "interrupted" and not run.certified
    shorter = scene.run(until=run.time[-1], every=100)
    assert np.array_equal(run.data[:-1], shorter.data[: len(run) - 1])


def test_an_interrupt_stops_steps_by_hand_between_two_steps() -> None:
    scene = Scene.load("woodpecker")
    simulation, alone = scene.simulation(), scene.simulation()
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        simulation.step(steps=10**9)
    alone.step(steps=simulation.index)
    assert simulation.index > 0 and np.array_equal(simulation.row(), alone.row())


def test_an_interrupt_stops_a_batch() -> None:
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        stickslip.simulate_batch(Scene.load("woodpecker", until=1e4), {"friction": [0.3, 0.31, 0.32]})
    assert stickslip.simulate_batch("slide-to-roll", {"speed": [1.0, 2.0]}).certified.all()


def test_runs_in_threads_do_not_hold_each_other_up() -> None:
    scene = Scene.load("woodpecker", until=0.2)
    results: list[stickslip.Run | None] = [None] * 4

    def work(i: int) -> None:
        results[i] = scene.run()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    datas = [r.data for r in results if r is not None]
    assert len(datas) == 4 and all(np.array_equal(datas[0], d) for d in datas)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_can_run_and_step() -> None:
    scene = Scene.load("slide-to-roll")
    simulation = scene.simulation()
    simulation.step()
    child = os.fork()
    if child == 0:
        try:
            simulation.step()
            good = scene.run().certified and stickslip.simulate_batch(scene, {"speed": [1.0, 2.0]}).certified.all()
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
