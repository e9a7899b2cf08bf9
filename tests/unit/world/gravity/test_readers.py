"""Readers of gravity fields on hand-made files: the same field in three formats, and what is refused."""

import re
from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HarmonicsData, normalisation, truncated
from planetfall.world.gravity.readers.load import load_gravity_file
from support.gravity_files import GM, RADIUS, TERMS, cof, icgem, sha


def write(folder: Path, text: str, name: str = "field.txt") -> Path:
    (folder / name).write_bytes(text.encode())
    return folder / name


def check(found: HarmonicsData) -> None:
    assert found.gm == pytest.approx(GM, rel=1e-12)
    assert found.radius == pytest.approx(RADIUS, rel=1e-12)
    assert (found.degree, found.order) == (3, 3)
    assert found.cosine[0, 0] == 1.0
    for (n, m), (c, s) in TERMS.items():
        assert (found.cosine[n, m], found.sine[n, m]) == pytest.approx((c, s), rel=1e-13)


@pytest.mark.parametrize("text", [sha(), cof(), icgem()], ids=["sha", "cof", "icgem"])
def test_three_formats_one_field(tmp_path: Path, text: str) -> None:
    check(load_gravity_file(write(tmp_path, text)))


def test_sha_in_metres_is_read_where_the_unit_is_given(tmp_path: Path) -> None:
    file = write(tmp_path, sha(unit=1.0))
    check(load_gravity_file(file, unit="m"))
    guessed = load_gravity_file(file)
    assert guessed.radius == pytest.approx(1000 * RADIUS)
    assert guessed.notes == ("lengths of its header taken as km",)


def test_a_radius_beyond_jupiter_can_only_be_in_metres(tmp_path: Path) -> None:
    text = sha(unit=1.0).replace(f"{RADIUS:.6E}", "3.396000E+06", 1)
    assert load_gravity_file(write(tmp_path, text)).radius == 3.396e6


def test_unnormalised_coefficients_are_normalised(tmp_path: Path) -> None:
    """J2 = -sqrt(5) C20 and C22 = sqrt(5/12) C22bar: N_20 = sqrt(5), N_22 = sqrt(5/12)."""
    factors = normalisation(3)
    assert factors[2, 0] == pytest.approx(np.sqrt(5.0), rel=1e-14)
    assert factors[2, 2] == pytest.approx(np.sqrt(5.0 / 12.0), rel=1e-14)
    plain = {(n, m): (c * factors[n, m], s * factors[n, m]) for (n, m), (c, s) in TERMS.items()}
    check(load_gravity_file(write(tmp_path, sha(kind=0, terms=plain))))


def test_truncation_keeps_the_lower_terms(tmp_path: Path) -> None:
    found = truncated(load_gravity_file(write(tmp_path, sha())), 2, 0)
    assert (found.degree, found.order) == (2, 0)
    assert found.cosine[2, 0] == -0.05
    with pytest.raises(InputError, match="degree"):
        truncated(found, 3)


REFUSED = {
    "last line missing": (sha()[: sha().rindex(" 3, 3")], "1 coefficients are missing"),
    "cut in the last line": (sha()[:-12], "fields"),
    "no S column": (sha().replace("0.0, 0.0\n 2, 1", "0.0, 0.0\n 2, 1\n"), "fields"),
    "twice": (sha() + " 2, 0, 1.0, 0.0, 0.0, 0.0\n", "come twice"),
    "degree beyond the header": (sha() + " 4, 0, 1.0, 0.0, 0.0, 0.0\n", "degree 4"),
    "order beyond the degree": (sha() + " 2, 3, 1.0, 0.0, 0.0, 0.0\n", "order 3"),
    "not a number": (sha().replace("-5.0000000000000003E-02", "nan"), "not finite"),
    "text for a number": (sha().replace("-5.0000000000000003E-02", "oops"), "not a number"),
    "zonal sine": (sha(terms={**TERMS, (2, 0): (-0.05, 0.1)}), "no sine"),
    "other normalisation": (sha(kind=2), "normalisation 2"),
    "turned reference": (sha().replace("1, 0.0, 0.0", "1, 90.0, 0.0", 1), "reference"),
    "huge degree": (sha().replace(" 3, 3, 1", " 30000, 3, 1"), "degree 30000"),
    "negative gm": (sha().replace(f"{GM * 1e-9:.12E}", f"-{GM * 1e-9:.12E}"), "positive"),
    "cof without end": (cof().replace("END\n", ""), "END"),
    "icgem in time": (icgem("gfct 2 0 1e-9 0 20000101\n"), "changes with time"),
    "icgem without head": (icgem().replace("end_of_head", "end"), "no known format|end_of_head"),
    "icgem of another norm": (icgem(norm="schmidt"), "norm"),
    "a mesh": ("v 0 0 0\nv 1 0 0\n", "no known format"),
}


def test_an_icgem_file_that_ends_early_is_read_up_to_what_it_holds(tmp_path: Path) -> None:
    """Where the degree asked for is whole; all of it is refused, and so is a degree that it does not hold."""
    cut = "".join(line for line in icgem().splitlines(keepends=True) if not line.startswith(("gfc 3 2", "gfc 3 3")))
    path = write(tmp_path, cut)
    found, whole = load_gravity_file(path, degree=2), load_gravity_file(write(tmp_path, icgem(), "whole.txt"))
    assert found.degree == 2
    np.testing.assert_array_equal(found.cosine, whole.cosine[:3, :3])
    for degree in (None, 3):
        with pytest.raises(InputError, match="2 coefficients are missing, the first of degree 3 and order 2"):
            load_gravity_file(path, degree=degree)
    assert load_gravity_file(tmp_path / "whole.txt", degree=2).degree == 3


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_field_is_refused(tmp_path: Path, name: str) -> None:
    text, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        load_gravity_file(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_gravity_file(tmp_path / "nowhere.sha")


@pytest.mark.parametrize("text", [sha(), cof(), icgem()])
def test_numbers_of_thousands_of_digits_are_refused(tmp_path: Path, text: str) -> None:
    """Python itself refuses to read whole numbers of more than 4,300 digits, by an error of its own."""
    for n, line in enumerate(text.splitlines()):
        long = re.sub(r"(?<![\d.])3(?![\d.])", "3" * 5000, line)
        if long != line:
            path = write(tmp_path, text.replace(line, long), f"{n}.txt")
            with pytest.raises(InputError):
                load_gravity_file(path)
