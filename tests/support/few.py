"""Settings of the property tests: few examples, the same ones every time, as each is a simulation."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def few(n: int) -> settings:
    """At most n examples, drawn the same way on every machine."""
    return settings(
        max_examples=n, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
