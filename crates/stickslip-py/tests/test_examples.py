"""The examples run, and types hold throughout."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stickslip

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_examples_run(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_types_hold_in_the_package_and_the_examples(tmp_path: Path) -> None:
    sources = [str(Path(stickslip.__file__).parent), *map(str, EXAMPLES)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), *sources],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_code_in_the_book_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("agg")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.chdir(tmp_path)
    page = (ROOT.parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = [part.partition("```")[0] for part in page.split("```python\n")[1:]]
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) >= 5 and len(opened) == 1 and (tmp_path / "out/woodpecker/report.html").is_file()
    # what the page says beside the code
    assert names["scene"].parameters == {"friction": 0.3, "restitution": 0.5} and "10001 rows" in repr(names["scene"].run())
    assert names["slippery"]["x"][-1] > names["run"]["x"][-1] and names["answer"].solved and names["batch"].certified.all()


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_the_stubs_are_those_of_the_library() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "stickslip._stickslip"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_is_the_command() -> None:
    command = [sys.executable, "-m", "stickslip.command"]
    listed = subprocess.run([*command, "list"], capture_output=True, text=True)
    assert listed.returncode == 0 and "woodpecker" in listed.stdout
    assert subprocess.run([*command, "run", "no-such-scene"], capture_output=True).returncode == 2
    assert subprocess.run([*command, "--version"], capture_output=True).returncode == 0
    assert subprocess.run([*command, "fly"], capture_output=True).returncode == 2


def test_the_reference_is_that_of_the_sources() -> None:
    specification = importlib.util.spec_from_file_location("api", ROOT / "api.py")
    assert specification is not None and specification.loader is not None
    api = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(api)
    assert api.PAGE.read_text(encoding="utf-8") == api.page(), "run `python crates/stickslip-py/api.py`"
    assert all(f"{name}" in api.page() for name in stickslip.__all__)
