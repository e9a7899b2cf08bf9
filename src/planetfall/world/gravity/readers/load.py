"""Any gravity file by its path: the reader is chosen by content."""

import re
from pathlib import Path
from typing import Literal

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HarmonicsData, checked
from planetfall.world.gravity.readers.cof import read_cof
from planetfall.world.gravity.readers.icgem import read_icgem
from planetfall.world.gravity.readers.sha import read_sha
from planetfall.world.terrain.readers.source_file import MAX_TEXT_BYTES, checked_file, read_head


def load_gravity_file(
    path: str | Path, unit: Literal["m", "km"] | None = None, degree: int | None = None
) -> HarmonicsData:
    """The coefficients of a SHA table, a COF or an ICGEM file.

    Args:
        path: The file.
        unit: Of length in the header of a SHA table; km unless the radius can only be in metres.
        degree: The largest that is needed: an ICGEM file that ends beyond it, but before what its header says, is read.

    Raises:
        InputError: The format is not known, or the file is not what it should be.
    """
    file = checked_file(path, MAX_TEXT_BYTES)
    head = read_head(file, 65536)
    if b"end_of_head" in head or re.search(rb"(?m)^\s*product_type\s+gravity_field", head):
        return checked(str(path), read_icgem(file, degree))
    if re.search(rb"(?m)^(COMMENT|POTFIELD)\b", head):
        return checked(str(path), read_cof(file))
    if re.match(rb"\s*[-+.\dEeDd]+\s*,\s*[-+.\dEeDd]+\s*,", head):
        return checked(str(path), read_sha(file, unit))
    raise InputError(
        str(path), "no known format of gravity fields", "SHA table, COF or ICGEM (.gfc)", "convert the file"
    )
