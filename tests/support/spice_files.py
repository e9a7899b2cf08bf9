"""SPICE kernels of a made body, written by the tests: orientation, leap seconds, places of the body and the sun."""

from __future__ import annotations

from pathlib import Path

import numpy as np

BODY, FRAME_ID = 2999999, 1999999
POLE_RA, POLE_DEC, MERIDIAN, TURN = 85.65, -60.17, 10.0, 2010.9
"""Pole, prime meridian at J2000 [deg], and rotation [deg/day] of the made body."""
PLACE = np.array([1.5e8, 2.0e7, -3.0e6])
VELOCITY = np.array([-4.0, 29.0, 1.0])
"""Of the body from the sun [km], [km/s], at J2000."""

ORIENTATION = f"""KPL/PCK
\\begindata
NAIF_BODY_NAME += 'TESTBALL'
NAIF_BODY_CODE += {BODY}
FRAME_TESTBALL_FIXED = {FRAME_ID}
FRAME_{FRAME_ID}_NAME = 'TESTBALL_FIXED'
FRAME_{FRAME_ID}_CLASS = 2
FRAME_{FRAME_ID}_CLASS_ID = {BODY}
FRAME_{FRAME_ID}_CENTER = {BODY}
BODY{BODY}_POLE_RA = ( {POLE_RA} 0. 0. )
BODY{BODY}_POLE_DEC = ( {POLE_DEC} 0. 0. )
BODY{BODY}_PM = ( {MERIDIAN} {TURN} 0. )
\\begintext
"""
LEAP_SECONDS = """KPL/LSK
\\begindata
DELTET/DELTA_T_A = 32.184
DELTET/K = 1.657D-3
DELTET/EB = 1.671D-2
DELTET/M = ( 6.239996 1.99096871D-7 )
DELTET/DELTA_AT = ( 32, @1999-JAN-1, 33, @2006-JAN-1, 34, @2009-JAN-1,
                    35, @2012-JUL-1, 36, @2015-JUL-1, 37, @2017-JAN-1 )
\\begintext
"""


def write_kernels(folder: Path) -> dict[str, Path]:
    """The three kernels by their kind: "pck", "lsk", "spk"."""
    import spiceypy

    files = {kind: folder / f"made.{kind[0]}{'bsp' if kind == 'spk' else 'text'}" for kind in ("pck", "lsk", "spk")}
    files["pck"].write_text(ORIENTATION)
    files["lsk"].write_text(LEAP_SECONDS)
    epochs = np.linspace(-1e6, 1e9, 12)
    handle = spiceypy.spkopn(str(files["spk"]), "made", 0)
    for body, states in (
        (10, np.zeros((12, 6))),
        (BODY, np.column_stack([PLACE + epochs[:, None] * VELOCITY, np.tile(VELOCITY, (12, 1))])),
    ):
        spiceypy.spkw09(handle, body, 0, "J2000", epochs[0], epochs[-1], "made", 1, 12, states, epochs)
    spiceypy.spkcls(handle)
    return files
