"""The first look at a file: it exists, it is a file, it is not empty, and it is not too large to be read."""

import codecs
import difflib
from pathlib import Path

from planetfall.errors import InputError
from planetfall.scenario.files.files_read import report_read

# Ceilings, assumed: they keep a load below about 4 GiB of memory and a few minutes on a laptop.
MAX_BINARY_BYTES = 1 << 30
MAX_TEXT_BYTES = 1 << 29
MAX_FACETS = 5_000_000
MAX_PIXELS = 50_000_000

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def checked_file(path: str | Path, max_bytes: int | None = None) -> Path:
    """The path of a file that can be opened and is neither empty nor over the limit; reports that it is read.

    Args:
        path: Where the file should be.
        max_bytes: Largest size accepted [byte]; None for a format that is read by windows.

    Raises:
        InputError: There is no such file, it is a folder, it is empty, unreadable or too large.
    """
    where = str(path)
    try:
        file = Path(path)
        if not file.exists():
            raise InputError(where, "no such file", "a terrain file", _advice(file))
        if not file.is_file():
            raise InputError(where, "this is not a file", "a terrain file", "name a file inside the folder")
        report_read(file)
        size = file.stat().st_size
        with file.open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise InputError(where, f"the file cannot be opened ({error})", "a readable file") from error
    if size == 0:
        raise InputError(where, "the file is empty (0 bytes)", "a terrain file", "fetch or export it again")
    if max_bytes is not None and size > max_bytes:
        raise InputError(
            where,
            f"the file has {size / 2**20:.0f} MiB",
            f"at most {max_bytes / 2**20:.0f} MiB for this format",
            "decimate the mesh, or cut out the part around the site",
        )
    return file


def _advice(missing: Path) -> str:
    """What may be meant by the name of a file that is not there."""
    if not missing.parent.is_dir():
        return f"check the spelling: there is no folder {missing.parent}"
    near = difflib.get_close_matches(missing.name, [item.name for item in missing.parent.iterdir()], n=1)
    return "check the spelling" + (f"; did you mean {near[0]}?" if near else " and the folder")


def read_head(path: Path, n_bytes: int = 4096) -> bytes:
    """The first bytes of a file, to tell its format."""
    try:
        with path.open("rb") as file:
            return file.read(n_bytes)
    except OSError as error:
        raise InputError(str(path), f"the file cannot be read ({error})", "a readable file") from error


def read_bytes(path: str | Path, max_bytes: int = MAX_BINARY_BYTES) -> bytes:
    """The whole content of a file of limited size."""
    return checked_file(path, max_bytes).read_bytes()


def text_encoding(data: bytes) -> str:
    """Encoding of a text file: by its byte order mark, else UTF-8, else Latin-1 (which takes any byte)."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def decoded(where: str, data: bytes) -> str:
    """Text of a file in whichever encoding it has."""
    try:
        return data.decode(text_encoding(data))
    except UnicodeDecodeError as error:
        raise InputError(
            where, f"the text cannot be decoded ({error})", "ASCII, UTF-8 or UTF-16 with a mark"
        ) from error


def read_text(path: str | Path) -> str:
    """The whole content of a text file of limited size."""
    return decoded(str(path), read_bytes(path, MAX_TEXT_BYTES))


def check_count(where: str, what: str, count: int, room: int, bytes_each: int) -> None:
    """Refuse a count in a header that the rest of the file cannot hold, before anything is allocated for it.

    Args:
        where: The file.
        what: What is counted, in the plural.
        count: Number that the header claims.
        room: Bytes that follow the header.
        bytes_each: The least bytes that one of them takes.
    """
    if count < 0 or count * bytes_each > room:
        raise InputError(
            where,
            f"the header claims {count} {what}, but {room} bytes follow",
            f"at least {bytes_each} bytes for each",
            "the file is truncated or corrupt; fetch or export it again",
        )


def check_facets(where: str, count: int) -> None:
    """Refuse more facets than the memory budget allows."""
    if count > MAX_FACETS:
        raise InputError(
            where, f"the mesh has {count} facets", f"at most {MAX_FACETS}", "decimate it, or cut out the site"
        )
