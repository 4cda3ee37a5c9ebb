"""What Python adds to a step of `slide-to-roll`: one call per step against one call for all. Next to mujoco.mj_step, if it is there.

    python crates/stickslip-py/benches/overhead.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import stickslip

STEPS = 20_000


def best(work: Callable[[], object], repeats: int = 7) -> tuple[float, float]:
    """Least and median time, µs per step."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) / STEPS * 1e6)
    return min(times), statistics.median(times)


def main() -> None:
    scene = stickslip.Scene.load("slide-to-roll", step=1e-3)
    simulation = scene.simulation()
    force = np.zeros(len(scene.velocity_names))

    def one_by_one() -> None:
        for _ in range(STEPS):
            simulation.step()

    def pushed() -> None:
        for _ in range(STEPS):
            simulation.step(force)

    whole = best(lambda: simulation.step(steps=STEPS))
    single, with_force = best(one_by_one), best(pushed)
    print(f"{STEPS} steps in one call:   {whole[0]:7.2f} µs a step (median {whole[1]:.2f})")
    print(f"one call per step:        {single[0]:7.2f} µs: Python adds {single[0] - whole[0]:.2f}")
    print(f"with a force as an array: {with_force[0]:7.2f} µs")
    run = best(lambda: scene.run(until=STEPS * 1e-3, every=STEPS))
    print(f"run():                    {run[0]:7.2f} µs")
    try:
        import mujoco  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        print("mujoco is not installed")
        return
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="100 100 1" friction="0.2"/>'
        '<body pos="0 0 1"><freejoint/><geom type="sphere" size="1" mass="1" friction="0.2"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qvel[0] = 2.0

    def mujoco_steps() -> None:
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    theirs = best(mujoco_steps)
    print(f"mujoco.mj_step:           {theirs[0]:7.2f} µs (median {theirs[1]:.2f})")


if __name__ == "__main__":
    main()
