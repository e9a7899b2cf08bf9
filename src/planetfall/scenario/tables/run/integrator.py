"""`[integrator]`: how the equations of motion are solved."""

from typing import Annotated, Literal

from pydantic import Field

from planetfall.scenario.tables.table import Table, choice, quantity


class IntegratorRk4(Table):
    """Runge-Kutta of order 4 with a fixed step, as the papers use."""

    method: Literal["rk4"] = choice("how steps are made: rk4 | adaptive")
    step: float = quantity("s", "length of every step", gt=0)
    accept_step: bool = choice("true: run even if the step exceeds the limit for stiffness, damping or friction", False)


class IntegratorAdaptive(Table):
    """Dormand-Prince 5(4) with error control and event location."""

    method: Literal["adaptive"] = choice("how steps are made: rk4 | adaptive")
    tolerance: float = quantity(
        "-", "error allowed per step, relative to vehicle size, speed and rate", 1e-9, ge=1e-14, le=1e-2
    )
    max_step: float = quantity("s", "longest step that is taken", 100.0, gt=0)


Integrator = Annotated[IntegratorRk4 | IntegratorAdaptive, Field(discriminator="method")]
