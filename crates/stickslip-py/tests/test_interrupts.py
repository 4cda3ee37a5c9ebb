"""Ctrl-C, fork and threads: runs stop cleanly, keep what was computed and leave the interpreter usable."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Scene, System


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


def test_an_interrupt_stops_models_in_runs_and_batches() -> None:
    scene = Ball().scene(**BALL | {"until": 1e4})
    interrupt_after(0.3)
    with pytest.raises(stickslip.Interrupted) as caught:
        scene.run()
    assert len(caught.value.run) > 2
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        stickslip.simulate_batch(scene, {"simulation.step": [1e-3, 2e-3, 3e-3]})
    assert Ball().run(**BALL).certified


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


class Ball(System):
    """A ball that falls on a floor"""

    coordinates = ("x", "z")

    def initial(self) -> Any:
        return [0.0, 0.01], [1.0, 0.0]

    def mass_matrix(self, q: Any) -> Any:
        return np.eye(2)

    def forces(self, q: Any, u: Any, t: float) -> Any:
        return [0.0, -9.81]

    def contacts(self, q: Any, t: float) -> Any:
        return [Contact("floor", q[1], 0.3, [0.0, 1.0], [1.0, 0.0])]


BALL: dict[str, Any] = {"stepper": "stewart-trinkle", "step": 1e-3, "until": 0.05}


class Interrupting:
    """Numbers that are interrupted while they are read"""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise KeyboardInterrupt

    def __len__(self) -> int:
        raise KeyboardInterrupt

    def __getitem__(self, index: int) -> float:
        raise KeyboardInterrupt


def test_an_interrupt_while_a_result_is_read_is_one() -> None:
    class Forces(Ball):
        def forces(self, q: Any, u: Any, t: float) -> Any:
            return Interrupting() if t > 0.01 else [0.0, -9.81]

    class Contacts(Ball):
        def contacts(self, q: Any, t: float) -> Any:
            return [Contact("floor", q[1], 0.3, Interrupting() if t > 0.01 else [0.0, 1.0], [1.0, 0.0])]  # type: ignore[arg-type]

    for model in (Forces(), Contacts()):
        with pytest.raises(KeyboardInterrupt):
            model.run(**BALL)
    assert Ball().run(**BALL).certified


def test_models_in_threads_give_the_runs_they_give_alone() -> None:
    scene = Ball().scene(**BALL)
    alone, results = scene.run().data, []

    def work() -> None:
        for _ in range(3):
            results.append(scene.run().data)

    # a thread gives way every 50 µs: in the middle of steps and of Python
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
    finally:
        sys.setswitchinterval(before)
    assert len(results) == 12 and all(np.array_equal(r, alone) for r in results)


def in_a_fork(work: Callable[[], bool], seconds: float = 60.0) -> int:
    """The exit code of a child that does `work`: 0 if it is true, 1 if not, 2 if it raises; -9 when it hangs."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_can_run_and_step() -> None:
    scene = Scene.load("slide-to-roll")
    simulation = scene.simulation()
    simulation.step()

    def work() -> bool:
        simulation.step()
        certified = stickslip.simulate_batch(scene, {"speed": [1.0, 2.0]}).certified
        return simulation.index == 2 and scene.run().certified and bool(certified.all())

    assert in_a_fork(work) == 0
    assert simulation.index == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_in_the_middle_of_other_threads_steps_does_not_hang() -> None:
    model, plain = Ball().scene(**BALL), Scene.load("slide-to-roll", step=0.01)
    shared, over = Scene.load("woodpecker").simulation(), threading.Event()

    def busy(what: Callable[[], object]) -> None:
        while not over.is_set():
            what()

    works = [model.run, plain.run, lambda: shared.step(steps=2000)]
    threads = [threading.Thread(target=busy, args=(what,), daemon=True) for what in works]

    def work() -> bool:
        good = model.run().certified and plain.run().certified
        try:
            shared.step()  # its thread is not here: either it was between two calls, or this says so
        except RuntimeError as error:
            return good and "forked" in str(error)
        return good

    for thread in threads:
        thread.start()
    try:
        codes = [in_a_fork(work) for _ in range(12)]
    finally:
        over.set()
        for thread in threads:
            thread.join(timeout=60)
    assert codes == [0] * 12 and not any(thread.is_alive() for thread in threads)
