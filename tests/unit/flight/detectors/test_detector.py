"""The landing detector by itself: it sees seven numbers and its own memory, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from support.flight_probes import Watchman

STANDING = [0.3, 0.01, -0.02, 0.0, 0.1, 0.0, 3.7]  # range [m], three range rates [m/s], specific force [m/s^2]


def changed(**places: float) -> list[float]:
    """Standing, with some channels changed: `c0` to `c6`."""
    out = list(STANDING)
    for name, value in places.items():
        out[int(name[1:])] = value
    return out


def declared_at(watchman: Watchman, values: list[list[float]], rate: float = 10.0) -> float:
    """When it declares, fed one row after the other; NaN if never."""
    when = [k / rate for k, row in enumerate(values) if watchman.tell(k / rate, row)]
    assert len(when) <= 1
    assert (when == []) == np.isnan(watchman.landed)
    return when[0] if when else np.nan


def test_declares_when_the_hold_is_complete() -> None:
    assert declared_at(Watchman(), [STANDING] * 20) == 0.5


def test_a_hold_that_is_a_whole_number_of_samples_takes_no_sample_more() -> None:
    """0.7 - 0.2 is less than 0.5 in binary; the last bit must not cost a tenth of a second."""
    assert 0.7 - 0.2 < 0.5
    assert declared_at(Watchman(), [changed(c0=2.0)] * 2 + [STANDING] * 20) == 0.7


def test_without_a_hold_the_first_sample_is_enough() -> None:
    assert declared_at(Watchman({"hold": 0.0}), [STANDING]) == 0.0


def test_a_break_starts_the_hold_anew() -> None:
    assert declared_at(Watchman(), [STANDING] * 5 + [changed(c2=0.2)] + [STANDING] * 20) == 1.1


def test_a_landing_stands() -> None:
    """It is declared once, whatever is read later."""
    watchman = Watchman()
    assert declared_at(watchman, [STANDING] * 6 + [changed(c0=9.0)] * 6 + [STANDING] * 20) == 0.5
    assert watchman.landed == 0.5


@pytest.mark.parametrize(
    "flying",
    [
        pytest.param(changed(c0=0.51), id="too high"),
        pytest.param(changed(c0=np.nan), id="no altimeter return"),
        pytest.param(changed(c1=0.11), id="too fast"),
        pytest.param(changed(c3=-0.11), id="too fast the other way"),
        pytest.param(changed(c2=0.11, c1=np.nan, c3=np.nan), id="the only beam that returns is too fast"),
        pytest.param(changed(c1=np.nan, c2=np.nan, c3=np.nan), id="no beam returns"),
        pytest.param(changed(c6=0.0), id="free fall"),
        pytest.param(changed(c6=4.1), id="pressed too hard"),
        pytest.param(changed(c6=np.nan), id="no IMU reading yet"),
        pytest.param([np.nan] * 7, id="nothing read yet"),
    ],
)
def test_one_sensor_is_enough_to_say_no(flying: list[float]) -> None:
    assert np.isnan(declared_at(Watchman(), [flying] * 20))


@pytest.mark.parametrize(
    "standing",
    [
        pytest.param(changed(c0=0.5), id="at the limit of range"),
        pytest.param(changed(c1=0.1, c2=-0.1), id="at the limit of speed"),
        pytest.param(changed(c1=np.nan, c3=np.nan), id="two beams look past the ground"),
        pytest.param(changed(c4=3.7, c6=0.0), id="lying on its side: one g is one g"),
    ],
)
def test_what_still_counts_as_standing(standing: list[float]) -> None:
    assert declared_at(Watchman(), [standing] * 20) == 0.5


@pytest.mark.parametrize(
    ("without", "reading"),
    [("altimeter", changed(c0=99.0)), ("velocimeter", changed(c1=9.0)), ("imu", changed(c6=0.0))],
)
def test_a_sensor_that_is_not_named_is_not_asked(without: str, reading: list[float]) -> None:
    assert declared_at(Watchman({without: -1}), [reading] * 20) == 0.5
    assert np.isnan(declared_at(Watchman(), [reading] * 20))


def test_declares_nothing_before_it_is_armed_and_holds_anew_after() -> None:
    watchman = Watchman(is_armed=False)
    assert not any(watchman.tell(k / 10.0, STANDING) for k in range(20))
    watchman.is_armed = True
    assert [k / 10.0 for k in range(20, 40) if watchman.tell(k / 10.0, STANDING)] == [2.5]
