"""A sequence as Python objects, for guidance of your own: phases, triggers and commands in one controller.

    controller = PhasedController([
        Phase("brake", my_guidance, ends=[Trigger("slow", lambda seen, elapsed: my_speed(seen) < 2.0)]),
        Phase("land", my_other_guidance, arm=True),
    ])
    planetfall.run(scenario, controller=controller)       # with flight.controller = "own"

The compiled form of the same is `[[flight.phases]]` (`flight.sequence`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from planetfall.errors import InputError
from planetfall.flight.controller import Command, Seen

Guidance = Callable[[Seen, float], "Sequence[float] | np.ndarray"]
"""From what is seen and the time in the phase [s] to the throttles [engine]."""


@dataclass(frozen=True)
class Trigger:
    """What ends a phase.

    Attributes:
        cause: What the timeline says.
        is_met: From what is seen and the time in the phase [s].
        to: Name of the phase that follows; the next one if None.
    """

    cause: str
    is_met: Callable[[Seen, float], bool]
    to: str | None = None


def after(time: float, cause: str = "time passed", to: str | None = None) -> Trigger:
    """A trigger that fires when a phase has lasted a time [s], or a billionth less: instants are rounded."""
    return Trigger(cause, lambda seen, elapsed: elapsed >= time * (1.0 - 1e-9), to)


def landed(cause: str = "landing detected", to: str | None = None) -> Trigger:
    """A trigger that fires when the landing detector has declared."""
    return Trigger(cause, lambda seen, elapsed: seen.landed, to)


@dataclass(frozen=True)
class Phase:
    """One phase: guidance, the triggers that end it, and what is commanded when it begins.

    Attributes:
        name: In the timeline, and in `to` of triggers.
        guidance: Called at every tick of the phase.
        ends: Triggers; the first that is met ends the phase. A phase without any is the last.
        release: Tethers whose held reels are let go.
        cut: Tethers that are cut.
        arm: Whether the landing detector may declare from here on.
    """

    name: str
    guidance: Guidance
    ends: Sequence[Trigger] = ()
    release: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    arm: bool = False


@dataclass
class PhasedController:
    """A controller for `planetfall.run` that goes through phases, at most one change a call.

    Attributes:
        phases: In the order in which they follow each other.
        observe: Called first at every tick, with what is seen and the time since the last call [s]: navigation.
    """

    phases: Sequence[Phase]
    observe: Callable[[Seen, float], None] = lambda seen, passed: None
    _i: int = field(default=0, init=False)
    _since: float = field(default=np.nan, init=False)
    _last: float = field(default=np.nan, init=False)
    _cause: str = field(default="start", init=False)
    _commanded: tuple[tuple[str, ...], tuple[str, ...], bool] = field(default=((), (), False), init=False)
    shortfall: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        """Refuses phases of the same name and triggers that lead nowhere."""
        names = [phase.name for phase in self.phases]
        if not names or len(set(names)) < len(names):
            raise InputError("phases", f"{', '.join(names) or 'none'}", "one or more, each with a name of its own")
        for i, phase in enumerate(self.phases):
            for trigger in phase.ends:
                if trigger.to not in names and (trigger.to is not None or i + 1 == len(names)):
                    where = f"phases.{i}.ends ({trigger.cause})"
                    raise InputError(
                        where, f"leads to {trigger.to!r}, which is not a phase", f"one of {', '.join(names)}"
                    )

    def command(self, seen: Seen) -> Command:
        """One call: what is observed, then a trigger if one is met, then the phase's guidance."""
        self.observe(seen, 0.0 if np.isnan(self._last) else seen.time - self._last)
        self._last = seen.time
        if np.isnan(self._since):
            self._begin(0, "start", seen.time)
        phase, elapsed = self.phases[self._i], seen.time - self._since
        met = next((trigger for trigger in phase.ends if trigger.is_met(seen, elapsed)), None)
        if met is not None:
            names = [phase.name for phase in self.phases]
            self._begin(self._i + 1 if met.to is None else names.index(met.to), met.cause, seen.time)
        phase = self.phases[self._i]
        throttles = phase.guidance(seen, seen.time - self._since)
        release, cut, is_armed = self._commanded
        return Command(
            throttles=throttles, release=release, cut=cut, phase=phase.name, cause=self._cause, is_armed=is_armed,
            shortfall=self.shortfall,
        )  # fmt: skip

    def _begin(self, i: int, cause: str, time: float) -> None:
        phase, (release, cut, is_armed) = self.phases[i], self._commanded
        self._i, self._cause, self._since = i, cause, time
        self._commanded = (*release, *phase.release), (*cut, *phase.cut), is_armed or phase.arm
