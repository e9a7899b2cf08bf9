"""What the contact laws share whose springs follow from a rest penetration."""

from typing import Protocol


class _Springs(Protocol):
    """The keys that such a law has."""

    @property
    def rest_penetration(self) -> float: ...
    @property
    def reference_gravity(self) -> float | None: ...
    @property
    def loaded_points(self) -> int | None: ...


class RestsOnSprings:
    """Mixed into the table of such a law."""

    @property
    def sink(self: _Springs) -> float:
        """How deep points go, by order of magnitude [m]."""
        return self.rest_penetration

    @property
    def needs_gravity(self: _Springs) -> bool:
        """Whether the stiffness follows from the scenario's own gravity."""
        return self.reference_gravity is None

    def check_loaded_points(self: _Springs) -> None:
        """Refuses a number of points that cannot carry the weight."""
        if self.loaded_points is not None and self.loaded_points < 1:
            raise ValueError(f"loaded_points: {self.loaded_points} points cannot carry load; at least 1")
