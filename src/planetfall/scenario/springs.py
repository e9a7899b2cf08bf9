"""What the contact laws share whose springs follow from a rest penetration."""


class RestsOnSprings:
    """Mixed into the table of a law with the keys `rest_penetration`, `reference_gravity` and `loaded_points`."""

    rest_penetration: float
    reference_gravity: float | None
    loaded_points: int | None

    @property
    def sink(self) -> float:
        """How deep points go, by order of magnitude [m]."""
        return self.rest_penetration

    @property
    def needs_gravity(self) -> bool:
        """Whether the stiffness follows from the scenario's own gravity."""
        return self.reference_gravity is None

    def check_loaded_points(self) -> None:
        """Refuses a number of points that cannot carry the weight."""
        if self.loaded_points is not None and self.loaded_points < 1:
            raise ValueError(f"loaded_points: {self.loaded_points} points cannot carry load; at least 1")
