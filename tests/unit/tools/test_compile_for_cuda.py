"""Kernels are compiled for a card that need not be there, and what does not compile is told."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import warp as wp

import planetfall

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tool_compile_for_cuda", ROOT / "tools" / "compile_for_cuda.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    module.start_warp()
    if not wp._src.context.runtime.nvrtc_supported_archs:
        pytest.skip("this build of Warp has no compiler for CUDA")
    return module


@wp.kernel(enable_backward=False, module="unique")
def doubled(x: wp.array(dtype=wp.float64)):
    i = wp.tid()
    x[i] = x[i] + x[i]


@wp.func_native("#if defined(__CUDA_ARCH__)\nreturn no_such_name;\n#else\nreturn 1.0;\n#endif")
def only_on_a_processor() -> wp.float64: ...


@wp.kernel(enable_backward=False, module="unique")
def not_for_cards(x: wp.array(dtype=wp.float64)):
    x[0] = only_on_a_processor()


def test_a_kernel_is_compiled_and_looked_into(tool: ModuleType) -> None:
    found = tool.compiled(doubled.module, 90)
    assert found.error == ""
    assert 0 < found.registers <= 255 and found.code > 0 and found.stack == found.stores == found.loads == 0


def test_an_error_that_a_card_alone_would_show_is_told(tool: ModuleType) -> None:
    found = tool.compiled(not_for_cards.module, 90)
    assert "no_such_name" in found.error and "does not compile" in str(found)


def test_what_a_card_would_be_given(tool: ModuleType) -> None:
    """One kernel where there is something to record or to control, split ones for adaptive batches of plain bodies."""
    names = [name for name, _ in tool.kernels_on_cuda(planetfall.load("free-top"), 100)]
    assert names[:2] == ["recorded", "histories"]
    assert names[2:] == ["batch"] or "split attempt" in names
