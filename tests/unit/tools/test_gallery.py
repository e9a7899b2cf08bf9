"""The gallery's page is what its tool writes, its pictures are there, and they are small."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
LARGEST = 3_000_000
"""Bytes of all pictures together: a checkout is to stay small."""


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tool_gallery", ROOT / "tools" / "gallery.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_tool_writes(gallery: ModuleType) -> None:
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page()


def test_every_picture_is_there_and_no_other(gallery: ModuleType) -> None:
    assert {path.stem for path in gallery.IMAGES.iterdir()} == {picture.name for picture in gallery.PICTURES}
    assert sum(path.stat().st_size for path in gallery.IMAGES.iterdir()) < LARGEST
