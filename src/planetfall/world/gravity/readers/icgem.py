"""Spherical harmonics in the format of ICGEM (.gfc): a header of keywords to `end_of_head`, then `gfc n m C S ...`.

Lengths are metres. A field that changes with time is refused rather than read at an unknown epoch.
"""

from pathlib import Path

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HarmonicsData, normalisation
from planetfall.world.gravity.readers.numbers import Coefficients, number, whole
from planetfall.world.terrain.readers.source_file import read_text

_CHANGING = ("gfct", "trnd", "dot", "acos", "asin")


def read_icgem(path: Path, wanted: int | None = None) -> HarmonicsData:
    """The field of a .gfc file; with a degree `wanted`, one that ends beyond it is as good as whole."""
    where, lines = str(path), read_text(path).splitlines()
    end = next((i for i, line in enumerate(lines) if line.split()[:1] == ["end_of_head"]), None)
    if end is None:
        raise InputError(where, "no end_of_head", "an ICGEM file")
    head = {parts[0]: parts[1] for parts in map(str.split, lines[:end]) if len(parts) > 1}
    for key in ("radius", "max_degree"):
        if key not in head:
            raise InputError(where, f"the header has no {key}", "an ICGEM header")
    gm = next((value for key, value in head.items() if key.endswith("gravity_constant")), None)
    if gm is None:
        raise InputError(where, "the header has no ..._gravity_constant", "GM in m^3/s^2")
    degree = whole(where, head["max_degree"])
    found = Coefficients(where, degree, degree)
    for i, line in enumerate(lines[end + 1 :], start=end + 2):
        parts = line.split()
        if not parts:
            continue
        if parts[0] in _CHANGING:
            raise InputError(f"{where}, line {i}", f"{parts[0]!r}: the field changes with time", "a static field")
        if parts[0] != "gfc" or len(parts) < 5:
            raise InputError(f"{where}, line {i}", f"{line.strip()[:40]!r} cannot be read", "gfc degree order C S")
        found.put(i, whole(where, parts[1]), whole(where, parts[2]), number(where, parts[3]), number(where, parts[4]))
    if wanted is not None and wanted < degree:
        degree = found.keep_complete(wanted)
    found.check_complete()
    kind = head.get("norm", "fully_normalized")
    if kind not in ("fully_normalized", "unnormalized"):
        raise InputError(where, f"norm is {kind!r}", "fully_normalized or unnormalized")
    factors = normalisation(degree) if kind == "unnormalized" else 1.0
    cosine, sine = found.cosine / factors, found.sine / factors
    if cosine[0, 0] != 1.0:
        raise InputError(where, f"C_00 is {cosine[0, 0]:.9g}", "1: GM holds the mass")
    return HarmonicsData(number(where, gm), number(where, head["radius"]), cosine, sine, f"{path.name} (ICGEM)")
