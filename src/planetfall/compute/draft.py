"""The values of a parameter struct before they are put anywhere.

A run's parameters are dozens of numbers and small arrays. Made as Warp's structs and arrays they take milliseconds: too
long where a GPU takes one for the run itself. So they are written down as plain values first. Those of one run are then
put on a device, those of many go into the rows of one array (`engine.launch.per_run_parameters`).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from planetfall.errors import InputError


class Draft:
    """Values by member of a `@wp.struct` class: numbers, vectors, drafts of structs in it, lists for arrays.

    Members are set like those of the struct. What is not set is zero, or no array.
    """

    def __init__(self, struct: Any) -> None:
        self._struct = struct

    @property
    def struct(self) -> Any:
        """The class whose values these are."""
        return self._struct

    @property
    def values(self) -> dict[str, Any]:
        """What was set, by member."""
        return {name: value for name, value in vars(self).items() if name != "_struct"}

    def unset(self) -> list[str]:
        """Members that are not set, those of structs in it by dotted names."""
        found = []
        for name in self._struct.vars:
            value = self.values.get(name)
            if value is None:
                found.append(name)
            elif isinstance(value, Draft):
                found += [f"{name}.{inner}" for inner in value.unset()]
        return found

    if TYPE_CHECKING:  # any name may be set; the struct knows which there are

        def __setattr__(self, name: str, value: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def on_device(self, device: str) -> Any:
        """The struct, filled, its arrays on a device."""
        made = self._struct()
        for name, value in self.values.items():
            kind = self._struct.vars[name].type
            if isinstance(value, Draft):
                value = value.on_device(device)
            elif isinstance(kind, wp.array):
                value = wp.array(value, dtype=kind.dtype, device=device)
            setattr(made, name, value)
        return made


def draft_of(struct: Any, values: Mapping[str, Any], where: str) -> "Draft":
    """A draft of values by member, as a plug-in gives them.

    Raises:
        InputError: There is no such member.
    """
    out = Draft(struct)
    for name, value in values.items():
        if name not in struct.vars:
            raise InputError(
                where, f"fill gives {name!r}, which its params do not have", f"one of {', '.join(struct.vars)}"
            )
        setattr(out, name, value)
    return out


def padded(columns: Sequence[Sequence[float]]) -> np.ndarray:
    """Columns of different lengths as one array [row, column] of at least one row, zero where nothing is given."""
    out = np.zeros((max(1, *map(len, columns)), len(columns)))
    for i, column in enumerate(columns):
        out[: len(column), i] = column
    return out


@wp.struct
class EndOfChain:
    """What follows the last of chained structs; a struct needs a member."""

    count: wp.int32


@lru_cache
def chained_params(structs: tuple[Any, ...]) -> Any:
    """`@wp.struct` class with the first of some structs as `head` and the others, chained like this, as `tail`."""
    if not structs:
        return EndOfChain
    own, rest = structs[0], chained_params(structs[1:])

    @wp.struct
    class ChainedParams:
        head: own
        tail: rest

    return ChainedParams


def chained_draft(drafts: Sequence[Draft]) -> Draft:
    """The numbers of `chained_params` of their structs."""
    out = Draft(chained_params(tuple(draft.struct for draft in drafts)))
    if drafts:
        out.head, out.tail = drafts[0], chained_draft(drafts[1:])
    return out
