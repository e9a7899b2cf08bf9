"""Instants as text: the epoch of a run's time zero, and the stamps of its frames."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from planetfall.errors import InputError

TIME_SYSTEMS = ("UTC", "TAI", "TT", "TDB")
NANOSECONDS = 1_000_000_000
_EPOCH = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z?")
EXAMPLE = "for example 2026-11-18T12:00:00"


@dataclass(frozen=True)
class Epoch:
    """The instant of time zero.

    Attributes:
        second: Its whole second.
        nanoseconds: What is left of it.
        system: One of `TIME_SYSTEMS`; seconds are counted on without leap seconds.
    """

    second: datetime
    nanoseconds: int
    system: str

    def stamps(self, times: np.ndarray) -> list[str]:
        """The instants at times [s] after it, to the nearest nanosecond."""
        return [self._stamp(self.nanoseconds + round(float(time) * NANOSECONDS), 9) for time in times]

    def bounds(self, times: np.ndarray) -> tuple[str, str]:
        """First and last instant to the microsecond, rounded outward: some readers know no shorter time."""
        first, last = (self.nanoseconds + round(float(time) * NANOSECONDS) for time in (times[0], times[-1]))
        return self._stamp(first // 1000 * 1000, 6), self._stamp(-(-last // 1000) * 1000, 6)

    def _stamp(self, nanoseconds: int, digits: int) -> str:
        seconds, rest = divmod(nanoseconds, NANOSECONDS)
        return f"{(self.second + timedelta(seconds=seconds)).isoformat()}.{f'{rest:09d}'[:digits]}"


def epoch_of(text: str | None, system: str, where: str) -> Epoch:
    """The epoch that a text gives.

    Args:
        text: ISO 8601, down to the second, with up to nine decimals.
        system: Time system.
        where: The option or key that gave it, for messages.

    Raises:
        InputError: There is none, or it is no instant.
    """
    if system not in TIME_SYSTEMS:
        raise InputError("time system", f"{system!r} is not known", f"one of {', '.join(TIME_SYSTEMS)}")
    if text is None:
        raise InputError(
            where, "this format needs the instant of time zero, and the scenario has no target.epoch",
            "an instant in ISO 8601", f"give --epoch, {EXAMPLE}",
        )  # fmt: skip
    found = _EPOCH.fullmatch(text)
    try:
        if found is None:
            raise ValueError("not of this form")
        second = datetime.fromisoformat(found[1])
    except ValueError as error:
        problem = f"{text!r} is not an instant ({error})"
        raise InputError(where, problem, "YYYY-MM-DDTHH:MM:SS, with up to nine decimals", EXAMPLE) from None
    if text.endswith("Z") and system != "UTC":
        raise InputError(where, f"{text!r} ends in Z, which means UTC, and the time system is {system}", advice=EXAMPLE)
    return Epoch(second, int((found[2] or "0").ljust(9, "0")), system)
