"""Spherical harmonics as PDS tables (SHA, SHADR): commas, a header line, one line per coefficient.

Header: reference radius, GM, uncertainty of GM, degree, order, normalisation (1 full, 0 none), longitude and latitude
of the reference. PDS writes km and km^3/s^2; some copies have been turned to metres.
"""

from pathlib import Path
from typing import Literal

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HarmonicsData, normalisation
from planetfall.world.gravity.readers.numbers import Coefficients, number, whole
from planetfall.world.terrain.readers.source_file import read_text

LARGEST_KM = 1.0e5
"""No planet has a radius of more kilometres (Jupiter 7.15e4): a larger number is in metres."""


def read_sha(path: Path, unit: Literal["m", "km"] | None = None) -> HarmonicsData:
    """The field of a SHA table.

    Args:
        path: The file.
        unit: Of length in its header; km unless the radius can only be in metres.
    """
    where, lines = str(path), read_text(path).splitlines()
    head = lines[0].split(",")
    if len(head) < 8:
        raise InputError(where, f"the first line has {len(head)} fields", "8, with commas", "is this a SHA table?")
    radius, gm = number(where, head[0]), number(where, head[1])
    kind = whole(where, head[5])
    if kind not in (0, 1):
        raise InputError(where, f"normalisation {kind}", "1 (full) or 0 (none)", "convert the file")
    if number(where, head[6]) != 0.0 or number(where, head[7]) != 0.0:
        raise InputError(where, "the reference is not longitude 0, latitude 0", "body-fixed axes", "convert the file")
    found = Coefficients(where, whole(where, head[3]), whole(where, head[4]))
    n_fields = max(4, len(lines[1].split(",")) if len(lines) > 1 else 0)
    for i, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        parts = line.split(",")
        if len(parts) != n_fields:  # a number cut off in the middle is a number too
            raise InputError(f"{where}, line {i}", f"{len(parts)} fields", f"{n_fields}: degree, order, C, S, ...")
        found.put(i, whole(where, parts[0]), whole(where, parts[1]), number(where, parts[2]), number(where, parts[3]))
    found.check_complete()
    chosen = unit or ("m" if radius > LARGEST_KM else "km")
    scale = 1000.0 if chosen == "km" else 1.0
    factors = normalisation(len(found.cosine) - 1)[:, : found.cosine.shape[1]] if kind == 0 else 1.0
    notes = () if unit else (f"lengths of its header taken as {chosen}",)
    cosine, sine = found.cosine / factors, found.sine / factors
    return HarmonicsData(gm * scale**3, radius * scale, cosine, sine, f"{path.name} (SHA)", notes)
