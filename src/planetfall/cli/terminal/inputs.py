"""Reading `--set key=value` from the command line."""

import tomllib
from typing import TYPE_CHECKING, Any

from planetfall.errors import InputError
from planetfall.scenario import Scenario, load
from planetfall.scenario.files.load import read_values

if TYPE_CHECKING:  # landings do without the rovers' modules
    from planetfall.scenario.drive import DriveScenario


def scenario_with_sets(name: str, sets: list[str]) -> Scenario:
    """The scenario of a name or file, with the keys changed that `--set` names."""
    return load(name, dict(map(parse_set, sets)), f"the values of --set over {name}")


def drive_with_sets(name: str, sets: list[str]) -> "DriveScenario":
    """The drive of a name or file, with the keys changed that `--set` names."""
    from planetfall.scenario.drive import load_drive

    return load_drive(name, dict(map(parse_set, sets)), f"the values of --set over {name}")


def is_drive(name: str) -> bool:
    """Whether a name or file is that of a rover's drive."""
    return "rover" in read_values(name)[0]


def parse_set(text: str) -> tuple[str, Any]:
    """`key=value`, the value as TOML; a bare word is a string."""
    key, separator, value = text.partition("=")
    key = key.strip()
    if not separator or not key or not value.strip():
        raise InputError(f"--set {text}", "is not KEY=VALUE", advice="for example --set contact.rest_penetration=0.02")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        shown = text.encode("ascii", "backslashreplace").decode()
        raise InputError(f"--set {shown}", "has letters that this terminal's encoding does not have", "UTF-8, or ASCII")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value.strip()
    except (ValueError, RecursionError) as error:
        raise InputError(f"--set {key}", f"has no usable value ({error})") from None
