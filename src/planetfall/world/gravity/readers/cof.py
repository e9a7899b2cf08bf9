"""Spherical harmonics as COF cards: POTFIELD (degree, order, GM [m^3/s^2], radius [m], normalisation), then RECOEF.

Numbers stand in fixed columns and may touch each other; lengths are metres.
"""

import re
from pathlib import Path

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HarmonicsData, normalisation
from planetfall.world.gravity.readers.numbers import Coefficients, number, whole
from planetfall.world.terrain.readers.source_file import read_text

_NUMBER = r"[-+]?\d*\.?\d+(?:[EeDd][-+]?\d+)?"
_HEAD = re.compile(rf"POTFIELD\s*(\d+)\s+(\d+)\s+\d+\s+({_NUMBER})\s*({_NUMBER})\s*({_NUMBER})")
_TERM = re.compile(rf"RECOEF\s+(\d+)\s+(\d+)\s+({_NUMBER})\s*({_NUMBER})?")


def read_cof(path: Path) -> HarmonicsData:
    """The field of a COF file."""
    where, found, head = str(path), None, None
    for i, line in enumerate(read_text(path).splitlines(), start=1):
        if line.startswith("POTFIELD"):
            head = _HEAD.match(line)
            if head is None:
                raise InputError(f"{where}, line {i}", "the POTFIELD card cannot be read", "degree order - GM R norm")
            found = Coefficients(where, whole(where, head[1]), whole(where, head[2]))
        elif line.startswith("RECOEF"):
            term = _TERM.match(line)
            if term is None or found is None:
                raise InputError(
                    f"{where}, line {i}", "a RECOEF card cannot be read", "degree order C S, after POTFIELD"
                )
            found.put(
                i, whole(where, term[1]), whole(where, term[2]), number(where, term[3]), number(where, term[4] or "0")
            )
        elif line.startswith("END"):
            break
    else:
        raise InputError(where, "the file has no END card", "a complete COF file", "it is truncated; fetch it again")
    if found is None or head is None:
        raise InputError(where, "no POTFIELD card", "a COF file")
    kind = number(where, head[5])
    if kind not in (0.0, 1.0):
        raise InputError(where, f"normalisation {kind:g}", "1 (full) or 0 (none)")
    found.check_complete()
    factors = normalisation(len(found.cosine) - 1)[:, : found.cosine.shape[1]] if kind == 0.0 else 1.0
    cosine, sine = found.cosine / factors, found.sine / factors
    return HarmonicsData(number(where, head[3]), number(where, head[4]), cosine, sine, f"{path.name} (COF)")
