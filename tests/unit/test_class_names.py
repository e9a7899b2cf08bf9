"""One class name means one class: nobody who reads or searches the package meets two things of the same name."""

import ast
from collections import defaultdict
from pathlib import Path

import planetfall

PACKAGE = Path(planetfall.__file__).parent


def test_class_names_are_unique() -> None:
    """Over all files of the package, structs inside functions among them."""
    places: dict[str, list[str]] = defaultdict(list)
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{file.relative_to(PACKAGE)}:{node.lineno}")
    assert len(places) > 100
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
