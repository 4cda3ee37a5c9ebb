"""Studies: sweeps, designs and fits, as the command runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from . import _stickslip
from .errors import NotCertifiedWarning, StudyError


class Study:
    """A study: a scene, what varies in it, and what is asked of each motion. Made by `Study.load`."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.name, self.description, self.kind = _stickslip.study_about(source)

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Study:
        """Reads a built-in study by its name (`builtin_studies`), or a study file."""
        return cls(os.fspath(source))

    def run(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        resume: bool = False,
        trials: tuple[int, int] | None = None,
        engine: str = "local",
        address: str | None = None,
    ) -> dict[str, Any]:
        """Runs the study in a process of its own and returns its summary, the object that the command prints with --json.

        out: a directory for all results; with `resume` one to go on with. jobs: threads. trials: first and end of a range
        of a sweep. engine: "local", or "ray" (needs the package ray; a sweep also `out`, a directory that all nodes share;
        address: of the cluster). What did not hold its tolerances comes with a NotCertifiedWarning.
        """
        given = {
            "--out": None if out is None else os.fspath(out),
            "--jobs": None if jobs is None else str(jobs),
            "--range": None if trials is None else f"{trials[0]}..{trials[1]}",
            "--engine": None if engine == "local" else engine,
            "--address": address,
        }
        options = [word for key, value in given.items() if value is not None for word in (key, value)]
        command = [sys.executable, "-m", "stickslip.command", self.kind, self._source, "--json", *options]
        done = subprocess.run(command + ["--resume"] * resume, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):
            raise StudyError(done.stderr.strip().removeprefix("error: ") or f"ended with {done.returncode}")
        summary: dict[str, Any] = json.loads(done.stdout)
        if done.returncode == 1:
            warnings.warn(f"{self.name}: not everything held its tolerances", NotCertifiedWarning, stacklevel=2)
        return summary

    def __repr__(self) -> str:
        return f"<Study {self.name} ({self.kind}): {self.description}>"


def trials_of(directory: str | os.PathLike[str]) -> Any:
    """The trials of a sweep's directory as one pandas DataFrame, in order (needs pandas and pyarrow)."""
    import pandas  # type: ignore[import-untyped, unused-ignore]

    files = sorted(Path(directory).glob("trials-*.parquet"))
    if not files:
        raise FileNotFoundError(f"{os.fspath(directory)} has no trials; expected the directory of a sweep")
    return pandas.concat([pandas.read_parquet(file) for file in files], ignore_index=True)
