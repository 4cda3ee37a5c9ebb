"""The `stickslip` command."""

from __future__ import annotations

import os
import signal
import sys

from . import _stickslip


def main() -> int:
    """Runs the command with the arguments of this process; returns its exit code."""
    # the command does not come back to the interpreter: Ctrl-C ends it at once, as it does without Python
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # `--engine ray` asks this interpreter
    os.environ.setdefault("STICKSLIP_PYTHON", sys.executable)
    return _stickslip.run_command(["stickslip", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
