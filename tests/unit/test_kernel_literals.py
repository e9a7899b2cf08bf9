"""Literals in kernels: Warp computes with them in float32 before it makes a float64 of the result."""

import ast
from pathlib import Path

import numpy as np
import warp as wp

import planetfall

SOURCES = sorted(Path(planetfall.__file__).parent.rglob("*.py"))
SOME_KERNELS = """
@wp.func
def f(x: float):
    return x * wp.float64(1.0 / 3.0) + wp.float64(2.0 * x) - wp.float64(-1.0)

def make():
    third = wp.float64(1.0 / 3.0)
    @wp.func(inline=False)
    def g():
        return wp.float64(1 + 1e-12)
"""
WHOLE = wp.constant(wp.float64(1.0 - 1e-9))


@wp.kernel
def differences(out: wp.array(dtype=wp.float64)):
    """What is left of a difference that stands in a kernel, and of one that was made before."""
    out[0] = wp.float64(1.0 - 1e-9)
    out[1] = WHOLE


def test_why_it_matters() -> None:
    """If this fails, Warp computes with literals in float64, and the rule below has lost its reason."""
    out = wp.zeros(2, dtype=wp.float64, device="cpu")
    wp.launch(differences, 1, outputs=[out], device="cpu")
    assert np.array_equal(out.numpy(), [1.0, 1.0 - 1e-9])


def test_no_kernel_computes_with_literals() -> None:
    """Such numbers are constants of their module; a sign before a literal is no computation."""
    found = [f"{path.name}:{node.lineno}" for path in SOURCES for node in computed_literals(path)]
    assert len(SOURCES) > 100 and not found


def test_the_rule_finds_what_it_is_for(tmp_path: Path) -> None:
    """Also in nested functions; not in Python's own, and not where a number is a variable."""
    path = tmp_path / "some.py"
    path.write_text(SOME_KERNELS)
    assert [node.lineno for node in computed_literals(path)] == [4, 10]


def computed_literals(path: Path) -> list[ast.Call]:
    """Calls of `wp.float64` in functions for a device whose argument is computed from literals alone."""
    tree = ast.parse(path.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and is_for_device(node)]
    calls = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func) == "wp.float64" and is_computed(call.args)]


def is_for_device(function: ast.FunctionDef) -> bool:
    """Whether it is a `@wp.func` or a `@wp.kernel`, with options or without."""
    return any(ast.unparse(one).split("(")[0] in ("wp.func", "wp.kernel") for one in function.decorator_list)


def is_computed(arguments: list[ast.expr]) -> bool:
    """Whether it is an operation on two numbers, in which no name stands."""
    parts = [part for argument in arguments for part in ast.walk(argument)]
    return any(isinstance(part, ast.BinOp) for part in parts) and not any(isinstance(part, ast.Name) for part in parts)
