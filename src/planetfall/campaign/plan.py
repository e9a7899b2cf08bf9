"""What a campaign is, apart from what it found: everything that its rows depend on, as `campaign.json` keeps it."""

import hashlib
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planetfall.campaign.draws import Draws
from planetfall.errors import InputError
from planetfall.record.shards import Shard, shards_of
from planetfall.record.versions import MODULES, versions_of
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.table import Table

FORMAT = 1


@dataclass(frozen=True)
class Plan:
    """The terms of a campaign.

    Attributes:
        scenario: With its dispersions; its seed is the campaign's.
        n: Number of runs, or the most that a stop rule may take.
        seed: Of all that is drawn.
        sampling: See `sampling.METHODS`.
        shard_size: Runs per shard.
        device: `cpu` or a CUDA device.
        until: Stop rule as given, or empty.
        files: SHA-256 of the files that the scenario names.
        versions: Of the packages that decide the last bits.
        machine: Kind of processor.
    """

    scenario: Scenario
    n: int
    seed: int
    sampling: str
    shard_size: int
    device: str
    until: str = ""
    files: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    machine: str = ""

    @property
    def draws(self) -> Draws:
        """What the runs draw."""
        return Draws(self.scenario, self.n, self.seed, self.sampling)

    @property
    def shards(self) -> list[Shard]:
        """All runs, in pieces."""
        return shards_of(self.n, self.shard_size)

    @property
    def device_kind(self) -> str:
        """`cpu` or `cuda`."""
        return self.device.partition(":")[0]

    @property
    def terms(self) -> tuple[str, ...]:
        """What the last bits depend on beside the scenario: versions, and the kind of processor."""
        return (*(f"{name} {version}" for name, version in self.versions.items()), f"a processor {self.machine}")

    def to_dict(self) -> dict[str, Any]:
        """As `campaign.json` holds it."""
        values = {name: value for name, value in vars(self).items() if name != "scenario"}
        return {"format": FORMAT, **values, "scenario": self.scenario.to_dict()}


def make_plan(
    scenario: Scenario, n: int | None, seed: int, sampling: str, shard_size: int | None, device: str, until: str
) -> Plan:
    """The terms of a new campaign, checked."""
    if n is None:
        n = Draws(scenario, 1, 0).n_cells
        if n == 1:
            raise InputError("-n", "missing", "the number of runs; with --until, the most; only sweeps know their own")
    if n < 1:
        raise InputError("-n", f"{n} runs", "at least 1")
    if not 0 <= seed < 2**63:
        raise InputError("--seed", str(seed), "a whole number from 0 to 2^63 - 1")
    if shard_size is not None and shard_size < 1:
        raise InputError("--shard-size", str(shard_size), "at least 1")
    seeded = scenario.with_values({"scenario.seed": seed})
    size = shard_size or default_shard_size(n, device, seeded.integrator.method == "adaptive")
    plan = Plan(seeded, n, seed, sampling, size, device, until, digests(seeded), versions_here(), platform.machine())
    plan.draws.check()
    if until and plan.draws.n_cells > 1:
        raise InputError("--until", "a sweep goes through all its combinations and cannot stop earlier")
    if until and sampling in ("latin-hypercube", "saltelli"):
        raise InputError(
            "--until", f"{sampling} divides all {n} runs among itself and cannot stop earlier", "random or sobol"
        )
    return plan


def default_shard_size(n: int, device: str, is_adaptive: bool) -> int:
    """About a hundred shards, neither too small to fill the device nor so large that much is lost with one.

    On a GPU few runs of an adaptive method take as long as many: what counts is how often the last ones are waited for.
    """
    least, most = (200, 10_000) if device == "cpu" else (100_000 if is_adaptive else 20_000, 200_000)
    return min(max(least, -(-n // 100)), most)


def plan_from(values: dict[str, Any], scenario: Scenario, where: Path) -> Plan:
    """A stored plan, with the scenario of its folder."""
    names = [name for name in Plan.__dataclass_fields__ if name != "scenario"]
    try:
        if values["format"] != FORMAT:
            raise ValueError(f"format {values['format']}")
        plan = Plan(scenario, **{name: values[name] for name in names})
        if not (isinstance(plan.n, int) and isinstance(plan.shard_size, int) and plan.n > 0 and plan.shard_size > 0):
            raise ValueError("numbers of runs")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(str(where), f"is no plan of a campaign that this version knows ({error})") from None
    if json.dumps(values["scenario"], sort_keys=True) != json.dumps(scenario.to_dict(), sort_keys=True):
        raise InputError(
            str(where.with_name("scenario.toml")), "has been changed since the campaign began",
            advice="put it back (campaign.json holds it as it was), or begin another campaign with the changed one",
        )  # fmt: skip
    return plan


def check_same_terms(plan: Plan, device: str, where: Path) -> None:
    """Refuses to go on where rows would not be the same: other files, other versions, another kind of device."""
    found = digests(plan.scenario)
    for path, digest in plan.files.items():
        if found.get(path) != digest:
            problem = "has been changed since the campaign began" if path in found else "is no longer there"
            raise InputError(path, problem, advice="put it back, or begin another campaign")
    mine = versions_here()
    others = [
        f"{name} {plan.versions.get(name)}, here {mine[name]}" for name in mine if plan.versions.get(name) != mine[name]
    ]
    if others:
        raise InputError(
            str(where), f"was begun with other versions ({'; '.join(others)})",
            "the same versions give the same bits", "install those, or begin another campaign",
        )  # fmt: skip
    kind = device.partition(":")[0]
    if kind != plan.device_kind or platform.machine() != plan.machine:
        raise InputError(
            str(where), f"was begun on {plan.device_kind} ({plan.machine}), this is {kind} ({platform.machine()})",
            "the same kind of device gives the same bits",
        )  # fmt: skip


def digests(scenario: Scenario) -> dict[str, str]:
    """SHA-256 of every file that a scenario names."""
    return {path: _digest(Path(path).expanduser()) for path in sorted(set(_files(scenario)))}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(value: Any) -> Iterator[str]:
    if isinstance(value, Table):
        for name in type(value).model_fields:
            item = getattr(value, name)
            if name in ("file", "shape") and isinstance(item, str) and Path(item).expanduser().is_file():
                yield item
            else:
                yield from _files(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _files(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from _files(item)


def terms_here() -> tuple[str, ...]:
    """The terms of a plan that is made here."""
    return (*(f"{name} {version}" for name, version in versions_here().items()), f"a processor {platform.machine()}")


def versions_here() -> dict[str, str]:
    """Versions of the packages that decide the last bits."""
    return versions_of(*MODULES)
