"""What goes into JSON files is plain by type."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from planetfall.outcome import Outcome
from planetfall.record.files.plain_json import json_text, plain_json, writable_part


@dataclass(frozen=True)
class Place:
    x: float
    far: tuple[float, float]


def test_everything_that_a_summary_may_hold_becomes_plain() -> None:
    content = {
        "array": np.array([[1.0, np.nan], [math.inf, 2.0]]),
        "number": np.float32(0.5),
        "count": np.int64(3),
        "flag": np.bool_(True),
        "text": np.str_("a"),
        "place": Place(1.0, (2.0, -math.inf)),
        "outcome": Outcome.settled,
        "path": Path("a") / "b",
        "none": None,
        "nested": {"list": [np.array(7)]},
    }
    plain = plain_json(content)
    assert plain == {
        "array": [[1.0, None], [None, 2.0]],
        "number": 0.5,
        "count": 3,
        "flag": True,
        "text": "a",
        "place": {"x": 1.0, "far": [2.0, None]},
        "outcome": "settled",
        "path": "a/b",
        "none": None,
        "nested": {"list": [7]},
    }
    assert json.loads(json_text(content)) == plain
    kinds = {type(plain[key]) for key in ("number", "count", "flag", "text")}
    assert kinds == {float, int, bool, str}


def test_what_json_cannot_hold_is_named_with_its_key() -> None:
    with pytest.raises(TypeError, match=r"ground\.sites\[1\] is of type object"):
        plain_json({"ground": {"sites": [1, object()]}})
    with pytest.raises(TypeError, match="ground has the key 1"):
        plain_json({"ground": {1: 2}})


def test_the_rest_can_be_written() -> None:
    kept, faults = writable_part({"a": 1, "b": {"c": object()}, "d": (1, 2)})
    assert kept == {"a": 1, "d": [1, 2]}
    assert faults == ["b.c is of type object, which JSON cannot hold"]
