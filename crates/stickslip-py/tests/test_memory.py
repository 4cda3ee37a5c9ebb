"""No leak: memory is flat over many runs, steps and failures. `benches/memory.py` does 10^5 runs."""

from pathlib import Path

import pytest

import stickslip
from stickslip import Scene

STATUS = Path("/proc/self/status")


def resident() -> float:
    return float(STATUS.read_text().split("VmRSS:")[1].split()[0]) / 1024.0


@pytest.mark.skipif(not STATUS.exists(), reason="reads /proc")
def test_memory_is_flat() -> None:
    scene = Scene.load("slide-to-roll", step=0.1)
    seen = []
    for i in range(5001):
        run = scene.run()
        assert run.certified and run.contacts.gap.size and run.events
        holder: list[object] = []  # a force that knows its simulation
        simulation = scene.simulation(forces=[lambda q, u, t, holder=holder: [0.0] * 6])
        holder.append(simulation)
        simulation.step(simulation.u)
        try:
            scene.run(forces=[lambda q, u, t: [0.0]])
        except stickslip.ModelError as error:
            assert error.run is not None
        if i % 1000 == 0:
            seen.append(resident())
    print(f"resident memory over 5,000 runs, steps and failures: {', '.join(f'{m:.2f}' for m in seen)} MB")
    # pages of 4 kB: one leaked row of a run, or one exception each, would be more than 1 MB
    assert seen[-1] - seen[1] < 1.0
