"""Tables of a scenario with some numbers changed: only the tables on the way to a changed number are checked again.

A table is validated from the values and the tables in it, and those that were validated before are taken as they are.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from planetfall.scenario.files.overrides import set_at
from planetfall.scenario.tables.table import Table

Make = Callable[[Sequence[Any]], Any]
"""From the values of some keys, in order, to what a table, a list or a number becomes."""
Tree = dict[str, "Tree | int"]
"""Where keys lead: part by part, to the place of their value."""


def table_maker(table: Any, keys: Sequence[str]) -> Make:
    """A function from values to a checked copy of a table, or of a list of tables, with the values at some keys.

    What is wrong with values is told as the table as a whole would tell it.
    """
    remade, whole = _remaker(table, _tree([key.split(".")[1:] for key in keys])), _whole_maker(table, keys)

    def make(values: Sequence[Any]) -> Any:
        try:
            return remade(values)
        except ValidationError:
            return whole(values)

    return make


def _tree(paths: Sequence[Sequence[str]]) -> Tree:
    tree: Tree = {}
    for place, path in enumerate(paths):
        node: Any = tree
        for part in path[:-1]:
            node = node.setdefault(part, {})
        node[path[-1]] = place
    return tree


def _remaker(node: Any, tree: Tree | int) -> Make:
    if isinstance(tree, int):
        return lambda values: values[tree]
    if isinstance(node, Table):
        return _remade_table(node, tree)
    if node is None:  # a key inside of what is not given, which is refused
        return lambda values: None
    parts = [(int(part), _remaker(node[int(part)], inner)) for part, inner in tree.items()]

    def remade(values: Sequence[Any]) -> tuple[Any, ...]:
        items = list(node)
        for i, make in parts:
            items[i] = make(values)
        return tuple(items)

    return remade


def _remade_table(table: Table, tree: Tree) -> Make:
    # without what follows from the rest, so that it follows again
    fields = {name: getattr(table, name) for name in table.model_dump()}
    parts = [(part, _remaker(fields.get(part), inner)) for part, inner in tree.items()]
    validate = type(table).__pydantic_validator__.validate_python
    return lambda values: validate({**fields, **{part: make(values) for part, make in parts}})


def _whole_maker(table: Any, keys: Sequence[str]) -> Make:
    """The same from plain values, as a file has them."""
    name = keys[0].partition(".")[0]
    is_one = isinstance(table, Table)
    plain = table.model_dump(mode="json") if is_one else [item.model_dump(mode="json") for item in table]

    def make(values: Sequence[Any]) -> Any:
        changed = copy.deepcopy({name: plain})
        for key, value in zip(keys, values, strict=True):
            set_at(changed, key, value)
        if is_one:
            return type(table).model_validate(changed[name])
        return tuple(type(old).model_validate(new) for old, new in zip(table, changed[name], strict=True))

    return make
