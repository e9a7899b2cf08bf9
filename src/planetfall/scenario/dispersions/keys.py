"""Which keys can be dispersed, by what, and how far: every dispersion is checked when the scenario is made."""

import csv
import difflib
import math
import operator
import types
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from planetfall.scenario.dispersions.correlations import correlated_groups
from planetfall.scenario.dispersions.distributions import (
    Dispersion,
    DispersionCategorical,
    DispersionCone,
    DispersionGrid,
    DispersionTable,
    DispersionVector,
    Formula,
)
from planetfall.scenario.dispersions.linked import DispersionCases, DispersionEqual
from planetfall.scenario.files.files_read import remembered, report_read
from planetfall.scenario.tables.table import Table

if TYPE_CHECKING:
    from planetfall.scenario.scenario import Scenario

TAIL = 1e-12
"""How much of a distribution may lie outside the legal range of its key: less than any campaign will see."""
PLAIN_GRAVITY = ("uniform", "point", "j2", "none")
"""Fields that are a few numbers; the others are made once, at some cost, and shared."""
NOT_PHYSICS = ("record", "dispersions", "comparison")
BOUNDS = (
    (Gt, "gt", operator.gt, "greater than"),
    (Ge, "ge", operator.ge, "at least"),
    (Lt, "lt", operator.lt, "less than"),
    (Le, "le", operator.le, "at most"),
)
OF_GROUND = ("target.site", "target.radius", "target.flattening", "target.center", "target.spin_axis")
"""Keys that say where ground lies on a planet."""
LISTED = (DispersionCategorical, DispersionGrid, DispersionTable)
"""Distributions that consist of given values."""


@dataclass(frozen=True)
class KeyPlace:
    """Where a dotted key leads in a scenario.

    Attributes:
        nominal: The scenario's own value: a number, a tuple of numbers, or None.
        annotation: Declared type of the value.
        unit: Its unit, as declared; empty if it has none.
        limits: What is allowed: bounds as declared (Gt, Ge, Lt, Le).
    """

    nominal: Any
    annotation: Any
    unit: str
    limits: tuple[Any, ...]

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers are legal."""
        return int in _parts(self.annotation) and float not in _parts(self.annotation)

    @property
    def width(self) -> int:
        """1 for a number, else how many numbers; 0 for what is no number at all."""
        kinds = _parts(self.annotation)
        if isinstance(self.nominal, tuple):
            return len(self.nominal) if all(_is_number(item) for item in self.nominal) else 0
        if self.nominal is None:
            tuples = [typing.get_args(kind) for kind in kinds if typing.get_origin(kind) is tuple]
            return len(tuples[0]) if tuples else int(bool({int, float} & set(kinds)))
        return int(_is_number(self.nominal))

    @property
    def is_direction(self) -> bool:
        """Whether a vector has to have length 1: its type is checked by a function, as plain vectors are not."""
        inner = [item for kind in typing.get_args(self.annotation) for item in getattr(kind, "__metadata__", ())]
        return any(hasattr(item, "func") for item in (*self.limits, *inner))

    def outside(self, value: float) -> str:
        """What is wrong with a value, or nothing."""
        for bound in self.limits:
            for kind, name, holds, words in BOUNDS:
                if isinstance(bound, kind) and not holds(value, getattr(bound, name)):
                    return f"{words} {getattr(bound, name):g}"
        return "" if math.isfinite(value) and (value == 0 or 1e-40 <= abs(value) <= 1e40) else "within all bounds"


def check_dispersions(scenario: "Scenario") -> None:
    """Refuses dispersions of keys that have none, and those that can leave the legal range of their key."""
    for key, dispersion in scenario.dispersions.items():
        try:
            for single in _singles(scenario, key, dispersion):
                _check(scenario, key, single)
        except ValueError as problem:
            raise ValueError(f"dispersions.{key}: {problem}") from None
    _check_apart(scenario.dispersions)
    correlated_groups(scenario.dispersions)


def _singles(scenario: "Scenario", key: str, dispersion: Dispersion) -> Sequence[Dispersion]:
    """The distributions that a key may follow, one by one; a fixed number is a list of one."""
    if isinstance(dispersion, DispersionEqual):
        return [_equal_to(scenario, key, dispersion)]
    if not isinstance(dispersion, DispersionCases):
        return [dispersion]
    unknown = [name for name in dispersion.when if name not in scenario.cases]
    if unknown:
        names = ", ".join(scenario.cases) or "none; give them in [cases]"
        raise ValueError(f"when.{unknown[0]}: no such case; there are {names}")
    if dispersion.otherwise is None and len(dispersion.when) < len(scenario.cases):
        if place_of(scenario, key).nominal is None:
            raise ValueError("otherwise: the scenario gives no value for the other cases; give one")
    return [branch if isinstance(branch, Dispersion) else _only(branch) for branch in dispersion.branches]


def _equal_to(scenario: "Scenario", key: str, dispersion: DispersionEqual) -> Dispersion:
    """What the other key may be, to be held against this key's limits."""
    other = scenario.dispersions.get(dispersion.to)
    if other is None or isinstance(other, DispersionEqual):
        raise ValueError(f"to: {dispersion.to} is not dispersed by numbers of its own")
    there, here = place_of(scenario, dispersion.to), place_of(scenario, key)
    if there.width != 1 or here.width != 1:
        raise ValueError("to: only single numbers can be equal; take the components of vectors one by one")
    extremes = np.array([0.5, TAIL, 1.0 - TAIL])
    found = [
        quantiles(dispersion.to, single, there.nominal, extremes) for single in _singles(scenario, dispersion.to, other)
    ]
    return _only(*map(float, np.concatenate(found)))


def _only(*options: float) -> DispersionCategorical:
    return DispersionCategorical(distribution="categorical", options=options)


def _check_apart(keys: Iterable[str]) -> None:
    """Refuses two dispersions of one thing: a vector and its component, or an attitude in two ways."""
    taken = sorted(keys)
    attitudes = [key for key in taken if key == "initial.attitude" or key.startswith("initial.euler_ned_deg")]
    pairs = [(key, other) for key in taken for other in taken if other.startswith(f"{key}.")]
    pairs += [(attitudes[0], key) for key in attitudes[1:] if attitudes[0] == "initial.attitude"]
    for key, other in pairs:
        raise ValueError(f"dispersions.{other}: {key} is dispersed as well, and decides it; take one of them out")


def is_bare_plane(scenario: "Scenario") -> bool:
    """Whether the ground is one plane, and no map on a planet, so that every run can have its own."""
    is_map = scenario.target.site is not None and getattr(scenario.terrain, "radius", None) is not None
    return scenario.terrain.model == "plane" and not scenario.terrain.added and not is_map


def place_of(scenario: "Scenario", key: str) -> KeyPlace:
    """Where a key leads; ValueError where there is no such key, with the legal ones."""
    node: Any = scenario
    place = KeyPlace(None, None, "", ())
    for part in key.split("."):
        if isinstance(node, Table):
            fields = type(node).model_fields
            if part not in fields:
                near = difflib.get_close_matches(part, fields, n=1, cutoff=0.5)
                meant = f"; did you mean {near[0]}?" if near else ";"
                raise ValueError(f"no such key ({part!r}){meant} legal here: {', '.join(sorted(fields))}")
            node = getattr(node, part)
            place = _declared(fields[part], node)
        elif isinstance(node, tuple):
            if not node:
                raise ValueError(f"the list is empty that {part!r} would be an entry of; name another vehicle's")
            if not part.isdecimal() or int(part) >= len(node):
                raise ValueError(f"{part!r} is not an index of a list of {len(node)}; allowed: 0 to {len(node) - 1}")
            if place.is_direction:
                raise ValueError("one component of a direction cannot change alone; disperse the direction by a cone")
            node = node[int(part)]
            place = KeyPlace(node, _declared_item(place.annotation, int(part), node), place.unit, place.limits)
        else:
            raise ValueError(f"no such key: {part!r} would lie inside a value")
    return place


@remembered(maxsize=64)
def _read(path: str, column: str) -> tuple[float, ...]:
    report_read(path)
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        names = [name.strip() for name in rows.fieldnames or ()]
        if column not in names:
            raise ValueError(f"column: {path} has no column {column!r}; it has {', '.join(names) or 'none'}")
        values = []
        for number, row in enumerate(rows, start=2):
            text = {(name or "").strip(): value for name, value in row.items()}[column]
            try:
                values.append(float(text))
            except (TypeError, ValueError):
                raise ValueError(f"file: line {number} of {path} has no number in column {column!r}") from None
    if not values:
        raise ValueError(f"file: {path} has no rows")
    return tuple(values)


def samples_of(key: str, table: DispersionTable) -> np.ndarray:
    """The samples of a table, from its file where it names one."""
    if table.file is None:
        return np.array(table.samples)
    path = Path(table.file).expanduser()
    try:
        return np.array(_read(str(path), table.column or key))
    except FileNotFoundError:
        raise ValueError(f"file: no such file {path}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"file: {path} cannot be read ({error})") from None


def quantiles(key: str, dispersion: Dispersion, nominal: Any, at: np.ndarray) -> np.ndarray:
    """Values of a dispersed number at some probabilities; of listed values, all of them."""
    if isinstance(dispersion, DispersionTable):
        return samples_of(key, dispersion)
    if isinstance(dispersion, DispersionCategorical):
        return np.array(dispersion.options)
    if isinstance(dispersion, DispersionGrid):
        return np.array(dispersion.steps)
    assert isinstance(dispersion, Formula)
    return dispersion.values(at[:, None], nominal)


def _check(scenario: "Scenario", key: str, dispersion: Dispersion) -> None:
    table = key.partition(".")[0]
    place = place_of(scenario, key)
    words = ("scenario.seed", "scenario.name", "scenario.title", "scenario.changed", "scenario.changed_from")
    if table in NOT_PHYSICS or key in words or "drawing" in key.split("."):
        raise ValueError("has no part in the motion, so there is nothing to disperse")
    if table == "terrain" and not is_bare_plane(scenario):
        raise ValueError("all runs share ground that is not just a plane; disperse where they start instead")
    if table in ("gravity", "target") and scenario.gravity.model not in PLAIN_GRAVITY:
        raise ValueError(f"all runs share the field of gravity.model = {scenario.gravity.model!r}, which is made once")
    if key.startswith(OF_GROUND) and (scenario.target.site is not None or scenario.terrain.model == "ellipsoid"):
        raise ValueError("all runs share the planet that their ground lies on; disperse where they start instead")
    if not place.width:
        raise ValueError("is not a number; only numbers, vectors and attitudes can be dispersed")
    _check_width(key, dispersion, place)
    if place.width > 1:
        return
    if place.is_whole and not isinstance(dispersion, LISTED):
        raise ValueError("takes whole numbers; use distribution = 'categorical', 'table' or 'grid'")
    if place.nominal is None and not isinstance(dispersion, LISTED) and _center(dispersion) is None:
        raise ValueError("the scenario gives no value to disperse; give one, or the middle of the distribution")
    _check_range(key, dispersion, place)


def _check_width(key: str, dispersion: Dispersion, place: KeyPlace) -> None:
    name = dispersion.distribution  # type: ignore[attr-defined]  every member of the union has it
    if place.width == 4 and key != "initial.attitude":
        raise ValueError("of attitudes only initial.attitude can be dispersed; for the sun use target.sun_direction")
    if isinstance(dispersion, DispersionCone):
        if key != "initial.attitude" and not (place.width == 3 and place.is_direction):
            raise ValueError("a cone is for directions and for initial.attitude")
        if place.nominal is None and key != "initial.attitude":
            raise ValueError("the scenario gives no direction to be the middle of the cone")
        return
    if isinstance(dispersion, DispersionVector):
        if place.width != 3 or place.is_direction:
            raise ValueError(f"{name!r} is for three numbers together, such as initial.velocity")
        if place.nominal is None and dispersion.mean is None:
            raise ValueError("the scenario gives no value to disperse; give mean")
        return
    if place.width > 1:
        hint = "a cone" if place.is_direction else f"'multivariate-normal', or a component such as {key}.0"
        raise ValueError(f"{name!r} is for single numbers; use {hint}")


def _check_range(key: str, dispersion: Dispersion, place: KeyPlace) -> None:
    unit = f" {place.unit}" if place.unit not in ("", "-") else ""
    for value in map(float, quantiles(key, dispersion, place.nominal, np.array([0.5, TAIL, 1.0 - TAIL]))):
        allowed = place.outside(value)
        if allowed and isinstance(dispersion, Formula) and not isinstance(dispersion, LISTED):
            raise ValueError(
                f"leaves the legal range at percentile {_percentile(dispersion, place):.3g}; it has to be "
                f"{allowed}{unit}; narrow the distribution, or cut it off with low and high"
            )
        if allowed:
            raise ValueError(f"{value:g}{unit} is not allowed; it has to be {allowed}{unit}")
        if place.is_whole and value != round(value):
            raise ValueError(f"takes whole numbers, and {value:g} is not one")


def _percentile(dispersion: Formula, place: KeyPlace) -> float:
    """Where the legal range ends, by bisection between the median and the end that lies outside."""

    def is_outside(probability: float) -> bool:
        return bool(place.outside(float(dispersion.values(np.array([[probability]]), place.nominal)[0])))

    legal, illegal = 0.5, (TAIL if is_outside(TAIL) else 1.0 - TAIL)
    if is_outside(legal):
        return 50.0
    for _ in range(60):
        middle = 0.5 * (legal + illegal)
        legal, illegal = (legal, middle) if is_outside(middle) else (middle, illegal)
    return 100.0 * legal


def _center(dispersion: Dispersion) -> float | None:
    for name in ("mean", "median", "mode", "low"):
        if getattr(dispersion, name, None) is not None:
            return getattr(dispersion, name)
    return None


def _declared(field: FieldInfo, value: Any) -> KeyPlace:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    return KeyPlace(value, field.annotation, str(extra.get("unit", "")), tuple(field.metadata))


def _declared_item(annotation: Any, i: int, item: Any) -> Any:
    """Type of one item of a tuple, as declared: a whole number may stand where any number is legal."""
    for kind in _parts(annotation):
        if typing.get_origin(kind) is tuple:
            items = typing.get_args(kind)
            return items[0] if items[-1] is Ellipsis else items[i]
    return type(item)


def _parts(annotation: Any) -> list[Any]:
    """The types that a value may have."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [part for inner in typing.get_args(annotation) for part in _parts(inner)]
    if typing.get_origin(annotation) is typing.Annotated:
        return _parts(typing.get_args(annotation)[0])
    return [annotation]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
