"""The page of other programs is the text of its template, with a table for every program that is named there."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def validate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "validation"))
    return importlib.import_module("validate")


def test_the_page_is_its_template_with_every_table(validate: ModuleType) -> None:
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    parts = validate.parts_of(page)
    assert validate.filled(parts) == page
    assert all(text.strip() and text != "?" for text in parts.values())
    assert all(f"| {peer.name} | " in parts["PEERS"] for peer in validate.PEERS)
    for name in validate.REFERENCES:
        assert f"--only {name}`" in parts[name.upper()]
        assert parts[name.upper()].count("\n| ") > 3
        assert "missed" not in parts[name.upper()] and "Not made" not in parts[name.upper()]
    assert (ROOT / "docs" / "assets" / "validation-block.svg").is_file()


def test_a_page_with_another_text_is_refused(validate: ModuleType) -> None:
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    with pytest.raises(SystemExit, match=r"another text than page\.md"):
        validate.parts_of(page.replace("Not compared", "Compared"))
