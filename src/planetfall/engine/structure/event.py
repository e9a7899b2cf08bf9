"""What an event is: a number along the motion whose fall to zero ends an adaptive step, and what is done there.

A mechanism that is on one smooth branch at a time (a tether that is slack or taut, a tank that has propellant or has
none) says with a `LocatedEvent` how far the end of its branch is. The branch is locked during a step. Where a trial
step would carry a number through zero, the step is taken anew, to end there (`solver.events.mechanism_events`); the
next one begins with `act`, on the new branch. What happens at an instant that is known beforehand is no event but a
*break* (`next_break`): a step ends there without a search.

Contact points have modes of their own and are searched for together, since most of them are far from the ground
(`solver.events.contact_events`); how a step is taken anew is the same for both.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LocatedEvent:
    """Events of one kind, one for each of `count` parts.

    Attributes:
        name: For readers and messages.
        count: How many there are: of a scenario's tethers, say, one each.
        value: `@wp.func (i, t, t_branch, y, params) -> number`, positive until event i happens; `params` are those of
            its mechanism. A continuous function of time and state while the branch is locked, in any unit.
        act: `@wp.func (i, t, t_branch, y, params)`: puts event i into effect. Called at the beginning of every step at
            which its value is not positive; after it, the value is positive again.
    """

    name: str
    count: int
    value: Any
    act: Any
