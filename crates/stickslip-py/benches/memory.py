"""Memory over 10^5 runs: flat after the first ones.

    python crates/stickslip-py/benches/memory.py [RUNS]
"""

from __future__ import annotations

import sys
from pathlib import Path

import stickslip


def resident() -> float:
    """Resident memory of this process, MB (Linux)."""
    status = Path("/proc/self/status").read_text()
    return float(status.split("VmRSS:")[1].split()[0]) / 1024.0


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    scene = stickslip.Scene.load("slide-to-roll", step=0.1)
    first, last = 0.0, 0.0
    for i in range(runs + 1):
        run = scene.run()
        assert run.certified and run.contacts.gap.size and run.events
        if i == runs // 10:
            first = resident()
        last = resident() if i % (runs // 10) == 0 else last
    print(f"{runs} runs: {first:.2f} MB after a tenth of them, {last:.2f} MB at the end")
    assert last - first < 1.0, "memory grows"


if __name__ == "__main__":
    main()
