"""Arc ASCII grids: the header is checked here, GDAL reads the rest.

GDAL turns the lower left corner (`xllcorner`) or cell centre (`xllcenter`) into the same georeference; NODATA_value,
the optional `dx` and `dy` and the sidecar `.prj` are its business too.
"""

import re
from pathlib import Path

from planetfall.errors import InputError
from planetfall.world.terrain.readers.source_file import check_count

_HEADER_BYTES = 2048


def is_arc_ascii(head: bytes) -> bool:
    """Whether a file that begins so is an Arc ASCII grid."""
    return (
        re.match(rb"\s*(ncols|nrows|xll|yll|dx|dy|cellsize|nodata_value)\w*\s+[-+.\d]", head, re.IGNORECASE) is not None
    )


def check_arc_ascii(file: Path) -> None:
    """Refuse a grid whose header claims more cells than its text can hold; other formats pass.

    Raises:
        InputError: The numbers of rows and columns are missing, not positive, or too large for the file.
    """
    with file.open("rb") as stream:
        head = stream.read(_HEADER_BYTES)
    if not is_arc_ascii(head):
        return
    counts = {}
    for key in ("ncols", "nrows"):
        found = re.search(rb"^\s*" + key.encode() + rb"\s+(\S+)", head, re.IGNORECASE | re.MULTILINE)
        text = found[1].decode("latin-1") if found else "missing"
        if not re.fullmatch(r"\d{1,9}", text) or int(text) == 0:
            raise InputError(str(file), f"{key} is {text}", "a whole number from 1", "repair the header of the grid")
        counts[key] = int(text)
    # A digit and a separator, at the least; the last separator may be missing.
    check_count(str(file), "cells", counts["ncols"] * counts["nrows"], file.stat().st_size + 1, 2)
