"""CCSDS messages in keyword-value notation: orbit ephemeris (OEM 2.0) and attitude ephemeris (AEM 1.0).

CCSDS 502.0-B-2 and 504.0-B-1. A message is about one body. Lengths are in kilometres, as the standard has them.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np

from planetfall.exports.epochs import Epoch
from planetfall.exports.motion import BodyMotion
from planetfall.record.files.schema import versions_of

ORIGINATOR = "PLANETFALL"
MOST_COMMENT = 200
"""Letters of a comment's line; the standard allows lines of 254."""


def oem_text(motion: BodyMotion, epoch: Epoch, title: str) -> str:
    """Position and velocity of a body as an orbit ephemeris message.

    Args:
        motion: The body in the file's frame.
        epoch: The instant of time zero.
        title: What was simulated, for a comment.
    """
    numbers = np.concatenate([motion.position, motion.velocity], axis=1) * 1e-3
    lines = [
        *_header("CCSDS_OEM_VERS = 2.0", epoch, title), "", "META_START", *_comments(motion.says),
        *_object(motion), f"REF_FRAME = {motion.frame}", *_span(epoch, motion.time), "META_STOP", "",
        *_rows(epoch.stamps(motion.time), numbers),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def aem_text(motion: BodyMotion, epoch: Epoch, title: str) -> str:
    """Attitude of a body as an attitude ephemeris message: quaternions from the frame to the body, scalar last.

    The standard's matrix of a quaternion takes components in frame A to frame B, and is the transpose of the one that
    our quaternion from body to frame has: the four numbers are the same.
    """
    lines = [
        *_header("CCSDS_AEM_VERS = 1.0", epoch, title), "", "META_START", *_comments(motion.says),
        *_object(motion), f"REF_FRAME_A = {motion.frame}", "REF_FRAME_B = SC_BODY_1", "ATTITUDE_DIR = A2B",
        *_span(epoch, motion.time), "ATTITUDE_TYPE = QUATERNION", "QUATERNION_TYPE = LAST", "META_STOP", "",
        "DATA_START", *_rows(epoch.stamps(motion.time), motion.quaternion), "DATA_STOP",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _header(version: str, epoch: Epoch, title: str) -> list[str]:
    zero = f"Time zero of the run is {epoch.stamps(np.zeros(1))[0]} {epoch.system}; no leap second follows it."
    comments = _comments([f"Planetfall {versions_of('planetfall')['planetfall']}: {title}", zero])
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return [version, *comments, f"CREATION_DATE = {now}", f"ORIGINATOR = {ORIGINATOR}"]


def _object(motion: BodyMotion) -> list[str]:
    name = _plain(motion.name)
    return [f"OBJECT_NAME = {name}", f"OBJECT_ID = {name}", f"CENTER_NAME = {_plain(motion.center)}"]


def _span(epoch: Epoch, times: np.ndarray) -> list[str]:
    first, last = epoch.bounds(times)
    return [f"TIME_SYSTEM = {epoch.system}", f"START_TIME = {first}", f"STOP_TIME = {last}"]


def _rows(stamps: list[str], numbers: np.ndarray) -> list[str]:
    """An instant and its numbers per line, with all digits that float64 has."""
    return [f"{stamp} {' '.join(f'{x:.16e}' for x in row)}" for stamp, row in zip(stamps, numbers, strict=True)]


def _comments(sentences: Iterable[str]) -> list[str]:
    return [f"COMMENT {_plain(sentence)[:MOST_COMMENT]}" for sentence in sentences]


def _plain(text: str) -> str:
    """The standard knows printable ASCII only."""
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text)
