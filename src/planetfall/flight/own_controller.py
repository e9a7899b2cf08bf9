"""Controllers of the user's own in Python: by name from a plug-in, or as an object that goes to a campaign's workers.

A `ControllerKind` is selected by `flight.controller`, and made anew for every run from that run's own scenario. An
object is given to `planetfall.run` or `planetfall.montecarlo`; every run has a copy of it, and workers get it pickled.
"""

import hashlib
import inspect
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planetfall.errors import ANOTHER_NAME, InputError
from planetfall.flight.controller import Controller
from planetfall.scenario.files.files_read import report_read
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table

PROTOCOL = 5
"""Of pickles, so that the same object has the same bytes everywhere."""


class ControllerTable(Table):
    """What the table of a controller in Python is derived from: `controller: Literal["..."]` first, then `rate`."""

    @property
    def sequence(self) -> None:
        """The phases are the controller's own."""
        return None


@dataclass(frozen=True)
class ControllerKind:
    """A kind of controller of the user's own, selected by `flight.controller`.

    Attributes:
        name: The name there.
        table: Its keys, a `ControllerTable`.
        make: `(scenario) -> Controller`, for every run its own; `scenario.flight` is the table.
    """

    name: str
    table: type[ControllerTable]
    make: Callable[[Scenario], Controller]


CONTROLLERS: dict[str, ControllerKind] = {}


def register_controller(kind: ControllerKind) -> None:
    """Makes a kind of controller known by its name.

    Raises:
        InputError: It misses something, or its name is taken.
    """
    where = f"controller {kind.name!r}"
    if not callable(kind.make):
        raise InputError(where, "lacks the function make", "(scenario) -> Controller")
    if not issubclass(kind.table, ControllerTable):
        raise InputError(where, f"its table {kind.table.__name__} is no ControllerTable", advice="derive it from that")
    if kind.name in CONTROLLERS and CONTROLLERS[kind.name].table is not kind.table:
        raise InputError(where, "the name is taken", advice=ANOTHER_NAME)
    CONTROLLERS[kind.name] = kind


def controller_of(scenario: Scenario) -> Controller | None:
    """The controller that a scenario names, made for it; None where it names none of the user's own."""
    flight = scenario.flight
    kind = None if flight is None else CONTROLLERS.get(flight.controller)
    if kind is None:
        return None
    try:
        return kind.make(scenario)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            "flight.controller", f"{kind.name!r} could not be made ({type(error).__name__}: {error})",
            "a controller for this scenario", "correct its function make",
        ) from None  # fmt: skip


@dataclass(frozen=True)
class PackedController:
    """A controller as it goes to workers.

    Attributes:
        name: Module and name of its class.
        content: The object, pickled.
    """

    name: str
    content: bytes

    @property
    def identity(self) -> str:
        """What a campaign's folder keeps of it."""
        return f"{self.name} {hashlib.sha256(self.content).hexdigest()}"

    def unpacked(self) -> Controller:
        """The object, as it was before any flight.

        Raises:
            InputError: Its module is not there.
        """
        try:
            controller: Any = pickle.loads(self.content)
        except Exception as error:
            raise InputError(
                "controller", f"{self.name} cannot be loaded here ({type(error).__name__}: {error})",
                advice="install its module on all workers",
            ) from None  # fmt: skip
        _report_source(type(controller))
        return controller


def packed(controller: Any) -> PackedController:
    """A controller made ready for workers.

    Raises:
        InputError: It is none, or cannot be pickled.
    """
    kind = type(controller)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if not callable(getattr(controller, "command", None)):
        raise InputError("controller", f"{name} has no method command(seen)")
    try:
        content = pickle.dumps(controller, protocol=PROTOCOL)
    except Exception as error:
        raise InputError(
            "controller", f"{name} cannot be sent to workers ({type(error).__name__}: {error})",
            advice="define its class at the top of a module, and keep no open files or functions in it",
        ) from None  # fmt: skip
    return PackedController(name, content)


def _report_source(kind: type) -> None:
    """The text of a controller belongs to what a campaign is made from."""
    try:
        file = inspect.getsourcefile(kind)
    except (TypeError, OSError):
        return
    if file is not None:
        report_read(file)
