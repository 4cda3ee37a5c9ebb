"""The `stickslip` command: the program that the wheel brings with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def program() -> str:
    """The path of the program: what STICKSLIP_PROGRAM names, or the one in the package."""
    named = os.environ.get("STICKSLIP_PROGRAM")
    if named:
        return named
    name = "stickslip.exe" if os.name == "nt" else "stickslip"
    return str(Path(__file__).with_name("program") / name)


def main() -> int:
    """Runs the command with the arguments of this process; returns its exit code."""
    path = program()
    if not os.access(path, os.X_OK):
        print(
            f"error: there is no program {path}; expected a wheel made by crates/stickslip-py/wheel, or the path of a program in "
            "STICKSLIP_PROGRAM",
            file=sys.stderr,
        )
        return 2
    # `--engine ray` asks this interpreter
    os.environ.setdefault("STICKSLIP_PYTHON", sys.executable)
    words = ["stickslip", *sys.argv[1:]]
    if os.name == "posix":
        # takes the place of this process, so that signals are the program's own
        os.execv(path, words)
    return subprocess.run(words, executable=path).returncode


if __name__ == "__main__":
    sys.exit(main())
