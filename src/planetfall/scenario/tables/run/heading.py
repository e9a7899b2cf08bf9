"""`[scenario]`: what it is called, how long it lasts, the seed of its noise."""

import re

from pydantic import Field, field_validator

from planetfall.scenario.tables.table import Table, choice, quantity


class Title(Table):
    """`[scenario]`: what this is called."""

    name: str = choice("short name; also that of the run's folder")
    title: str = choice("one line for people", "")
    changed: tuple[str, ...] | None = choice(
        "keys that were changed since the title was given, by --set, with_values or based_on; Planetfall writes it "
        "and tells it with the title",
        None,
    )
    changed_from: tuple[str, ...] | None = choice(
        "what these keys held before, in the same order, as JSON (of long values the SHA-256): one that is set back is "
        "changed no more; Planetfall writes it",
        None,
    )

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not re.fullmatch(r"[^/\\\s.\x00-\x1f][^/\\\x00-\x1f]*", name):
            raise ValueError(
                "must have letters, begin with neither a dot nor a space and hold no slash, backslash or line break"
            )
        return name


class Heading(Title):
    """`[scenario]`: what this is called and how long it lasts."""

    duration: float = quantity("s", "simulated time after which the run ends", gt=0)
    seed: int = Field(0, description="seed of the sensors' noise", ge=0, lt=2**63)
