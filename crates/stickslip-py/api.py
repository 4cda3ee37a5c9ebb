"""Writes docs/python-api.md from the package's sources and stubs: `python crates/stickslip-py/api.py`."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "python" / "stickslip"
PAGE = ROOT.parent.parent / "docs" / "python-api.md"
MODULES = ["scene.py", "run.py", "_stickslip.pyi", "system.py", "solvers.py", "batch.py", "study.py", "gym.py", "on_ray.py", "errors.py"]
HEAD = """# Python: names and signatures

Made by `python crates/stickslip-py/api.py` from the sources and stubs of the package; `docs/python.md` tells how to use them.
`Array` is an array of numpy of float64, `Value` a number, truth value, text or list, as scene files have them.
"""


def public() -> set[str]:
    """What the package exports, and the environments."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value)) | {"Env", "VectorEnv", "sweep_on_ray"}
    raise AssertionError("__init__.py has no __all__")


def native() -> set[str]:
    """What of it the library gives as it is; its other functions have a Python side of their own."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "_stickslip"]
    return {alias.name for node in imports for alias in node.names}


def words_of(node: ast.ClassDef | ast.FunctionDef) -> str:
    """The docstring; lines that tell of an argument or field are a list."""
    return re.sub(r"^([a-z_]+(?:, [a-z_]+)*): ", r"- \1: ", ast.get_docstring(node) or "", flags=re.MULTILINE)


def of_users(text: str) -> str:
    """Types as users of the package know them."""
    return text.replace("PackageScene | Scene", "Scene").replace("_stickslip.", "").replace("_Array", "Array")


def signature(function: ast.FunctionDef, name: str) -> str:
    """As in the source, without self."""
    arguments = ast.unparse(function.args)
    for own in ("self, ", "cls, ", "self", "cls"):
        if arguments.startswith(own):
            arguments = arguments.removeprefix(own)
            break
    makes = function.name in ("__init__", "__new__")
    result = f" -> {ast.unparse(function.returns)}" if function.returns and not makes else ""
    return of_users(f"{name}({arguments}){result}")


def is_property(function: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(d) for d in function.decorator_list)


def method(function: ast.FunctionDef, owner: str) -> str:
    name = f"{owner}.{function.name}"
    if function.name in ("__init__", "__new__"):
        name = owner
    elif function.name == "__getitem__":
        name = f"{owner}.__getitem__"
    words = words_of(function)
    shown = of_users(f"{name}: {ast.unparse(function.returns)}") if is_property(function) and function.returns else signature(function, name)
    return f"- `{shown}`" + (f"\n{textwrap.indent(words, '  ')}" if words else "")


def a_class(node: ast.ClassDef) -> str:
    bases = ", ".join(ast.unparse(b) for b in node.bases)
    text = f"## class {node.name}" + (f"({bases})" if bases else "") + f"\n\n{words_of(node)}\n"
    lines = []
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            default = f" = {ast.unparse(item.value)}" if item.value else ""
            lines.append(f"- `{ast.unparse(item.target)}: {ast.unparse(item.annotation)}{default}`")
        elif isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) and lines:
            # a string after an attribute describes it
            lines.append(f"  {item.value.value}")
        elif isinstance(item, ast.FunctionDef):
            hidden = item.name.startswith("_") and item.name not in ("__init__", "__new__", "__getitem__")
            if not hidden and not (item.name == "__init__" and "native" in ast.unparse(item.args)):
                lines.append(method(item, node.name))
    return text + "\n" + "\n".join(lines) + "\n"


def page() -> str:
    """The whole page."""
    names, parts = public(), [HEAD]
    for module in MODULES:
        for node in ast.parse((PACKAGE / module).read_text()).body:
            if module == "_stickslip.pyi" and getattr(node, "name", "") not in native():
                continue
            if isinstance(node, ast.ClassDef) and node.name in names:
                parts.append(a_class(node))
            elif isinstance(node, ast.FunctionDef) and node.name in names:
                parts.append(f"## {signature(node, node.name)}\n\n{words_of(node)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
