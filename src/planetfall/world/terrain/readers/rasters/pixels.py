"""From stored numbers to heights in metres: missing pixels, scale, offset and unit."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from planetfall.errors import InputError

# Beyond this a float32 is one of the special pixels of ISIS and PDS (0xFF7FFFFB = -3.40282e38 and its neighbours).
_LARGEST_PLAIN = 1e38
# No height above, or radius of, a solid world is larger [m].
_LARGEST_HEIGHT = 1e8
# Valid range of integer ISIS cubes; what lies outside are its special pixels (null, saturated).
_ISIS_VALID = {"int16": (-32752, 32767), "uint16": (3, 65522), "uint8": (1, 254)}
# Values that are often meant as "no data" without being declared.
_SUSPECT = (-9999.0, -32767.0, -32768.0, -99999.0, 32767.0, 65535.0)

_METRES = {
    "": 1.0,
    "m": 1.0,
    "metre": 1.0,
    "meter": 1.0,
    "metres": 1.0,
    "meters": 1.0,
    "km": 1000.0,
    "kilometre": 1000.0,
    "kilometer": 1000.0,
    "kilometres": 1000.0,
    "kilometers": 1000.0,
    "ft": 0.3048,
    "foot": 0.3048,
    "feet": 0.3048,
}


@dataclass(frozen=True)
class Storage:
    """How a file stores heights: height = stored * factor + offset [m].

    Attributes:
        dtype: Type of a stored pixel.
        nodata: Stored value that means "no data"; "none" where there is said to be none, None where nothing is said.
        factor: Metres per stored unit.
        offset: Height of a stored zero [m].
    """

    dtype: np.dtype
    nodata: float | Literal["none"] | None
    factor: float = 1.0
    offset: float = 0.0

    def step(self, height: float) -> float:
        """Distance of neighbouring heights about one of them [m], in the precision of the file."""
        if self.dtype.kind != "f":
            return abs(self.factor)
        stored = (height - self.offset) / self.factor
        return float(np.spacing(np.abs(np.asarray(stored, self.dtype)))) * abs(self.factor)


def height_unit(where: str, named: str | None) -> float:
    """Metres per unit of the stored heights; a file that names none is taken to be in metres."""
    unit = (named or "").strip().strip('"').lower()
    if unit not in _METRES:
        raise InputError(
            where,
            f"the heights are in {unit!r}",
            f"one of {', '.join(sorted(name for name in _METRES if name))}",
            "give height_scale (metres per unit of the file) if these are heights all the same",
        )
    return _METRES[unit]


def pds_unit(label: Path) -> str | None:
    """The UNIT of the image in a PDS3 label, which GDAL does not pass on; None where there is none."""
    with label.open("rb") as file:
        text = file.read(1 << 16).decode("latin-1")
    if "PDS_VERSION_ID" not in text[:4096]:
        return None
    image = re.search(r"^\s*OBJECT\s*=\s*\w*IMAGE\b(.*?)^\s*END_OBJECT", text, re.DOTALL | re.MULTILINE)
    found = re.search(r'^\s*UNIT\s*=\s*"?\s*([A-Za-z]+)', image[1], re.MULTILINE) if image else None
    return found[1] if found else None


def heights_of(where: str, stored: np.ndarray, storage: Storage, driver: str) -> np.ndarray:
    """Heights [m] of stored pixels, NaN where a pixel holds no data.

    Args:
        where: The file.
        stored: Pixels as stored, any real type.
        storage: What the stored numbers mean.
        driver: GDAL's name of the format.

    Raises:
        InputError: The scaling is no scaling, or a height is larger than any world: a missing constant is undeclared.
    """
    if stored.dtype.kind not in "iuf":
        raise InputError(
            where, f"the pixels are of type {stored.dtype}", "integers or real numbers", "convert the file"
        )
    missing = np.zeros(stored.shape, dtype=bool)
    if storage.nodata is not None and storage.nodata != "none":
        missing |= stored == storage.nodata
    if stored.dtype.kind == "f":
        missing |= ~np.isfinite(stored)
        if stored.dtype.itemsize > 2:
            missing |= np.abs(stored) > _LARGEST_PLAIN
    elif driver == "ISIS3" and stored.dtype.name in _ISIS_VALID:
        lowest, highest = _ISIS_VALID[stored.dtype.name]
        missing |= (stored < lowest) | (stored > highest)
    factor, offset = storage.factor, storage.offset
    if not (math.isfinite(factor) and factor != 0.0 and math.isfinite(offset)):
        raise InputError(where, f"heights are scaled by {factor} and offset by {offset} m", "finite, scale not 0")
    with np.errstate(over="ignore", invalid="ignore"):
        heights = stored.astype(np.float64)
        heights[missing] = np.nan
        heights *= factor
        heights += offset
        extreme = np.abs(heights) > _LARGEST_HEIGHT
    if extreme.any():
        worst = float(heights[extreme][0])
        raise InputError(
            where,
            f"a height of {worst:.6g} m",
            f"heights within {_LARGEST_HEIGHT:.0e} m",
            "if this marks missing data, give nodata (terrain.nodata, --nodata); if the unit is not the metre, "
            "give height_scale (terrain.height_scale, --height-scale)",
        )
    return heights


def suspect_counts(stored: np.ndarray) -> dict[float, int]:
    """How many pixels hold an extreme that is one of the customary values for missing data."""
    extremes = (float(stored.min()), float(stored.max())) if stored.size else ()
    return {value: int(np.count_nonzero(stored == value)) for value in extremes if value in _SUSPECT}


def suspect_note(counts: Mapping[float, int]) -> tuple[str, ...]:
    """A sentence where undeclared missing data is likely."""
    return tuple(f"{problem}; {advice}" for problem, advice in _suspicions(counts))


def check_suspects(where: str, counts: Mapping[float, int]) -> None:
    """Refuses heights among which undeclared missing data are likely: they would be ground.

    Raises:
        InputError: Until it is told what they are.
    """
    for problem, advice in _suspicions(counts):
        raise InputError(where, problem, "a declared value for missing data", advice)


def _suspicions(counts: Mapping[float, int]) -> list[tuple[str, str]]:
    """The first value that looks like missing data: problem and advice."""
    return [
        (
            f"{count} pixels hold {value:g}, customary for missing data, and the file declares no missing value",
            f"give nodata = {value:g} if they are missing, nodata = 'none' if they are heights "
            "(terrain.nodata, --nodata)",
        )
        for value, count in list(counts.items())[:1]
    ]
