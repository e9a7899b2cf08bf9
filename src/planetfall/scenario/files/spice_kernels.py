"""Numbers of a target from SPICE kernels: how it lies and turns at an epoch, and where the sun is.

They stand in the scenario like any others, so that all else needs no kernels. Whenever a scenario is made they are read
again if the epoch or anything else that they depend on was changed.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from planetfall.errors import InputError
from planetfall.scenario.files.files_read import report_read

GIVEN = ("attitude", "spin_rate", "spin_axis", "sun_direction", "inertial_frame")
"""Keys of the target that kernels give."""
ALONG_POLE = 1e-5
"""Angle [rad] within which the spin axis counts as the z axis of the body-fixed frame: precession of a pole makes
some 1e-8, and starts by latitude and longitude need the axis (assumed)."""
TDB_OF_J2000 = datetime(2000, 1, 1, 12)
EXTRA = "pip install spiceypy"


def with_kernels(target: Mapping[str, Any], own: Collection[str], duration: float) -> dict[str, Any]:
    """A target's plain values with those that its kernels give.

    Args:
        target: With `spice` and `epoch`.
        own: Its keys that do not come from the library.
        duration: Of the run [s], over which the spin is taken as constant.

    Raises:
        InputError: spiceypy, a kernel or something in the kernels is missing; or a value was given beside them.
    """
    spice = dict(target["spice"])
    asked = _asked(target, spice)
    read = [key for key in GIVEN if key != "sun_direction" or spice.get("has_sun", True)]
    given = [key for key in read if key in own]
    if not spice.get("of") and given:
        raise InputError(
            f"target.{given[0]}", "given beside target.spice, which reads it from kernels", "one of the two",
            f"leave target.{given[0]} out, or target.spice",
        )  # fmt: skip
    found = _read(target, spice, duration)
    if spice.get("of") == asked:
        _check_kept(target, found)
    others = {key: value for key, value in target.items() if key not in read}
    return {**others, **found, "spice": {**spice, "of": asked}}


def _asked(target: Mapping[str, Any], spice: Mapping[str, Any]) -> str:
    """All that the numbers depend on, as text."""
    site = target.get("site") or {}
    parts = [target.get("epoch"), target.get("time_system", "UTC"), target.get("name"), target.get("frame", "L")]
    parts += [spice.get("body"), spice.get("frame"), spice.get("inertial", "J2000"), spice.get("has_sun", True)]
    parts += [site.get("latitude_deg"), site.get("longitude_deg"), site.get("latitude_kind", "geodetic")]
    return "; ".join("-" if part in (None, "") else str(part) for part in parts)


def _check_kept(target: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuses a number that was changed while the kernels say another one."""
    for key in GIVEN:
        old, new = target.get(key), found.get(key)
        if isinstance(new, str) or old is None or new is None:
            continue
        if not np.allclose(old, new, rtol=1e-9, atol=1e-12):
            raise InputError(
                f"target.{key}", f"{old}, and the kernels of target.spice say {new}", "one of the two",
                "remove target.spice to give numbers of your own",
            )  # fmt: skip


def _read(target: Mapping[str, Any], spice: Mapping[str, Any], duration: float) -> dict[str, Any]:
    from planetfall.scenario.tables.world.target import Target

    toolkit = _toolkit()
    body = str(spice.get("body") or target.get("name", ""))
    frame = str(spice.get("frame") or f"IAU_{body.upper()}")
    inertial = str(spice.get("inertial") or "J2000")
    plain = {key: value for key, value in target.items() if key not in (*GIVEN, "spice")}
    R_SP = Target.model_validate({**plain, "spin_rate": 0.0}).R_SP
    if R_SP is None:
        raise InputError(
            "target.spice", "frame L needs to know where on the body it lies", "target.site, or target.frame = 'P'"
        )
    with _loaded(toolkit, spice["kernels"]), _told(toolkit, body, frame):
        time = _ephemeris_time(toolkit, target)
        turn, omega_I = toolkit.xf2rav(toolkit.sxform(inertial, frame, time))
        R_IP = np.array(turn).T
        later = np.array(toolkit.pxform(frame, inertial, time + duration))
        sun = None
        if spice.get("has_sun", True):
            place, _ = toolkit.spkpos("SUN", time, inertial, "LT+S", body)
            sun = (np.array(place) / np.linalg.norm(place)).tolist()
    omega_I = np.array(omega_I)
    rate = float(np.linalg.norm(omega_I))
    kept = Rotation.from_rotvec(omega_I * duration).as_matrix() @ R_IP
    drift = np.degrees(Rotation.from_matrix(kept @ later.T).magnitude())
    axis_P = R_IP.T @ omega_I / rate if rate > 0.0 else np.array([0.0, 0.0, 1.0])
    found: dict[str, Any] = {
        "attitude": Rotation.from_matrix(R_IP @ R_SP.T).as_quat(canonical=True).tolist(),
        "spin_rate": rate,
        "sun_direction": sun,
        "inertial_frame": inertial,
        "source": f"{_others(target)}attitude and spin of {frame} in {inertial} at {target['epoch']} from SPICE "
        f"kernels; a constant spin is {drift:.2g} deg off them after {duration:g} s",
    }
    if not target.get("site") and np.hypot(*axis_P[:2]) > ALONG_POLE:
        found["spin_axis"] = (axis_P / np.linalg.norm(axis_P)).tolist()
    return {key: value for key, value in found.items() if value is not None}


def _others(target: Mapping[str, Any]) -> str:
    """The source of the other numbers, without what was said of kernels before."""
    text = str(target.get("source", "")).partition("attitude and spin of ")[0].rstrip("; ")
    return f"{text}; " if text else ""


def _toolkit() -> Any:
    try:
        import spiceypy
    except ImportError:
        raise InputError("target.spice", "the package spiceypy is not installed", advice=EXTRA) from None
    return spiceypy


@contextmanager
def _loaded(toolkit: Any, kernels: Any) -> Iterator[None]:
    """While kernels are loaded; whatever was loaded before stays."""
    if isinstance(kernels, str) or not kernels:
        raise InputError("target.spice.kernels", f"{kernels!r}", "a list of one or more files")
    done: list[str] = []
    try:
        for kernel in map(str, kernels):
            report_read(kernel)
            try:
                toolkit.furnsh(kernel)
            except toolkit.utils.exceptions.SpiceyError as error:
                raise InputError(
                    "target.spice.kernels", f"{kernel} cannot be loaded ({_first(error)})", "a SPICE kernel",
                    "names are relative to the scenario's file",
                ) from None  # fmt: skip
            done.append(kernel)
        yield
    finally:
        for kernel in reversed(done):
            toolkit.unload(kernel)


@contextmanager
def _told(toolkit: Any, body: str, frame: str) -> Iterator[None]:
    """What SPICE misses, with the kind of kernel that would have it."""
    try:
        yield
    except toolkit.utils.exceptions.SpiceyError as error:
        said = str(error)
        needs = {
            "NOLEAPSECONDS": "a leap-seconds kernel (.tls) for epochs that are not in TDB",
            "UNKNOWNFRAME": f"a frame that the kernels know; target.spice.frame is {frame!r}",
            "FRAMEDATANOTFOUND": f"the orientation of {frame!r}: a .tpc, .bpc or .bc kernel",
            "KERNELVARNOTFOUND": f"the orientation of {frame!r}: a .tpc kernel",
            "MISSINGTIMEINFO": "a leap-seconds kernel (.tls)",
            "IDCODENOTFOUND": f"a body that the kernels know; target.spice.body is {body!r}",
            "SPKINSUFFDATA": "an ephemeris (.bsp) of the body and the sun then, or target.spice.has_sun = false",
            "NOLOADEDFILES": "an ephemeris (.bsp) of the body and the sun, or target.spice.has_sun = false",
        }
        lacking = next((words for sign, words in needs.items() if sign in said), "")
        raise InputError(
            "target.spice", f"the kernels cannot be evaluated ({_first(error)})", lacking,
            "add the kernel to target.spice.kernels",
        ) from None  # fmt: skip


def _first(error: Exception) -> str:
    """SPICE's own sentence, without its frame."""
    lines = [line.strip() for line in str(error).splitlines()]
    named = [line for line in lines if line.startswith("SPICE(")]
    return " ".join(named[:1]) or lines[0]


def _ephemeris_time(toolkit: Any, target: Mapping[str, Any]) -> float:
    """The epoch in seconds of TDB after J2000."""
    text, system = target.get("epoch"), str(target.get("time_system", "UTC"))
    if not isinstance(text, str):
        raise InputError(
            "target.epoch", "missing: the kernels are evaluated at this instant", "ISO 8601", "2026-11-18T12:00:00"
        )
    try:
        moment = datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError as error:
        raise InputError("target.epoch", f"{text!r} is not an instant ({error})", "ISO 8601") from None
    seconds = (moment - TDB_OF_J2000).total_seconds()
    if system == "TDB":
        return seconds
    if system == "UTC":
        return float(toolkit.str2et(text.removesuffix("Z")))
    return float(toolkit.unitim(seconds, {"TT": "TDT", "TAI": "TAI"}[system], "ET"))
