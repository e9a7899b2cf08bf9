"""What a campaign is, apart from what it found: everything that its rows depend on, as `campaign.json` keeps it."""

import platform
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from planetfall.campaign.inputs.draws import Draws
from planetfall.errors import InputError
from planetfall.flight.controller import Controller
from planetfall.flight.own_controller import PackedController, packed
from planetfall.record.ensemble import PLAN
from planetfall.record.files.campaign_file import DIGEST, check_scenario, read_campaign
from planetfall.record.files.schema import KEY, MODULES, SCENARIO, SCHEMA, versions_of
from planetfall.record.files.shards import Shard, Terms, shards_of
from planetfall.scenario import load
from planetfall.scenario.files.files_read import digest_of
from planetfall.scenario.scenario import Scenario


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
        files: SHA-256 of every file that was read to make its models, by absolute path; None before they are made.
        versions: Of the packages that decide the last bits.
        machine: Kind of processor.
        schema: Of the folder that it is kept in; 0: that of the first release, whose `files` are those that the
            scenario names, as it names them.
        digest: SHA-256 of all this as its folder has it; empty before it is written, and in one of the first release.
        later_keys: Keys of the scenario that the version which began the campaign did not have.
        controller: Python object that flies, given anew whenever the campaign is gone on with.
        flown_by: Its name and SHA-256, as the folder keeps them; empty where none was given.
    """

    scenario: Scenario
    n: int
    seed: int
    sampling: str
    shard_size: int
    device: str
    until: str = ""
    files: dict[str, str] | None = None
    versions: dict[str, str] = field(default_factory=dict)
    machine: str = ""
    schema: int = SCHEMA
    digest: str = ""
    later_keys: tuple[str, ...] = ()
    controller: PackedController | None = None
    flown_by: str = ""

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
        values = {name: getattr(self, name) for name in _STORED}
        values |= {"files": self.files or {}, "scenario": self.scenario.to_dict()}
        values |= {"flown_by": self.flown_by} if self.flown_by else {}
        return {KEY: self.schema, **values}

    @property
    def row_terms(self) -> Terms:
        """What every shard of the campaign has to say of itself."""
        return Terms(self.seed, self.digest)


_STORED = ("n", "seed", "sampling", "shard_size", "device", "until", "files", "versions", "machine")
"""Fields that `campaign.json` holds under their names, beside schema, scenario and digest."""


def make_plan(
    scenario: Scenario, n: int | None, seed: int, sampling: str, shard_size: int | None, device: str, until: str
) -> Plan:
    """The terms of a new campaign, checked; which files it reads is known when its models are made."""
    if n is None:
        n = Draws(scenario, 1, 0).n_cells
        if n == 1:
            raise InputError(
                "-n", "missing", "the number of runs (with --until, the largest number); only sweeps need none"
            )
    if n < 1:
        raise InputError("-n", f"{n} runs", "at least 1")
    if not 0 <= seed < 2**63:
        raise InputError("--seed", str(seed), "a whole number from 0 to 2^63 - 1")
    if shard_size is not None and shard_size < 1:
        raise InputError("--shard-size", str(shard_size), "at least 1")
    seeded = _known_to_guidance(scenario.with_values({"scenario.seed": seed}))
    size = shard_size or default_shard_size(n, device, seeded.integrator.method == "adaptive")
    plan = Plan(seeded, n, seed, sampling, size, device, until, None, versions_here(), platform.machine())
    plan.draws.check()
    if until and plan.draws.n_cells > 1:
        raise InputError("--until", "a sweep goes through all its combinations and cannot stop earlier")
    if until and sampling in ("latin-hypercube", "saltelli"):
        raise InputError(
            "--until", f"{sampling} divides all {n} runs among itself and cannot stop earlier", "random or sobol"
        )
    return plan


def _known_to_guidance(scenario: Scenario) -> Scenario:
    """With the reference of entry guidance held fast: that of the nominal flight, which no run's draws may change."""
    sequence = None if scenario.flight is None else scenario.flight.sequence
    if sequence is None or all(phase.guidance.law != "entry" for phase in sequence.phases):
        return scenario
    from planetfall.flight.entry.mount_entry import with_reference

    return with_reference(scenario)


def default_shard_size(n: int, device: str, is_adaptive: bool) -> int:
    """About a hundred shards, neither too small to fill the device nor so large that much is lost with one.

    On a GPU few runs of an adaptive method take as long as many: what counts is how often the last ones are waited for.
    """
    least, most = (200, 10_000) if device == "cpu" else (100_000 if is_adaptive else 20_000, 200_000)
    return min(max(least, -(-n // 100)), most)


def read_plan(folder: Path) -> Plan:
    """The plan of a campaign's folder.

    Raises:
        InputError: It is damaged, or plan and scenario were changed since the campaign began.
    """
    values, where = read_campaign(folder), str(folder / PLAN)
    scenario = load(folder / SCENARIO)
    check_scenario(values, scenario, folder)
    missing = [name for name in (*_STORED, "scenario") if name not in values]
    texts = [name for name in ("sampling", "device", "until", "machine") if not isinstance(values.get(name), str)]
    if missing or texts:
        problem = f"{(missing or texts)[0]} is {'missing' if missing else 'not text'}"
        raise InputError(where, f"is not a plan of a campaign that this version can read: {problem}")
    stored = {name: values[name] for name in _STORED}
    later = tuple(sorted(set(_keys(scenario.to_dict())) - set(_keys(values["scenario"]))))
    return Plan(
        scenario, **stored, schema=values.get(KEY, 0), digest=values.get(DIGEST, ""), later_keys=later,
        flown_by=str(values.get("flown_by", "")),
    )  # fmt: skip


def with_controller(plan: Plan, controller: Controller | None, where: Path) -> Plan:
    """The plan of a folder with the controller that flies it.

    Raises:
        InputError: The campaign was flown by one, and it is missing or another.
    """
    given = None if controller is None else packed(controller)
    if (given.identity if given else "") == plan.flown_by:
        return replace(plan, controller=given)
    name, found = plan.flown_by.partition(" ")[0], "none was given" if given is None else f"this is {given.name}"
    if not plan.flown_by:
        raise InputError("controller", f"{where} was begun without one", advice="leave it out")
    if given is not None and given.name == name:
        found = f"this {given.name} has other values"
    raise InputError(
        "controller", f"{where} is flown by an object of {name}, and {found}",
        advice="give the object that it was begun with: controller=...",
    )  # fmt: skip


def _keys(values: Any, before: str = "") -> Iterator[str]:
    """Dotted keys of all that tables and lists of tables hold."""
    items = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for name, value in items:
        key = f"{before}.{name}" if before else str(name)
        if isinstance(values, dict):
            yield key
        yield from _keys(value, key)


def check_files(plan: Plan) -> None:
    """Refuses to go on where a file that the campaign reads has been changed or is gone, by its name."""
    for path, digest in (plan.files or {}).items():
        if not Path(path).is_file():
            raise InputError(path, "is no longer there", advice="put it back, or begin another campaign")
        if digest_of(path) != digest:
            _refuse_changed(path)


def compare_files(plan: dict[str, str], read: dict[str, str], is_here: bool = True) -> None:
    """Refuses models that were made from other files than the campaign's.

    Args:
        plan: SHA-256 of the files that the campaign was begun with, by path.
        read: The same of those that were read now.
        is_here: Whether this is where the campaign was begun, and not a worker elsewhere.
    """
    for path, digest in read.items():
        moved = [other for other in plan if Path(other).name == Path(path).name and plan[other] == digest]
        if plan.get(path, digest) != digest and not is_here:
            raise InputError(path, "is not the campaign's file of this name", advice="copy that one there")
        if plan.get(path, digest) != digest:
            _refuse_changed(path)
        if path not in plan and not moved:
            raise InputError(
                path, "is read now, and was not there when the campaign began",
                advice="take it away, or begin another campaign",
            )  # fmt: skip
    names = {Path(path).name for path in read}
    for path in plan:
        if Path(path).name not in names:
            raise InputError(path, "is no longer read", advice="put it back, or begin another campaign")


def _refuse_changed(path: str) -> None:
    problem = "has been changed since the campaign began"
    raise InputError(path, problem, advice="put it back, or begin another campaign")


def check_same_terms(plan: Plan, device: str, where: Path) -> None:
    """Refuses to go on where rows would not be the same: other versions, another kind of device."""
    mine = versions_here()
    others = [
        f"{name} {plan.versions.get(name)}, here {mine[name]}" for name in mine if plan.versions.get(name) != mine[name]
    ]
    if others:
        raise InputError(
            str(where), f"was begun with other versions ({'; '.join(others)}); only the same versions give identical "
            "results", advice="install those versions, or begin another campaign",
        )  # fmt: skip
    if plan.schema != SCHEMA or plan.later_keys:
        had = f"its folder has schema {plan.schema}, this version writes {SCHEMA}"
        if plan.later_keys:
            first, *others = plan.later_keys
            had = f"it did not have the key {first}" + (f" and {len(others)} more" if others else "")
        raise InputError(
            str(where), f"was begun by an earlier version of Planetfall ({had}), whose runs could differ from new ones"
            "; open, report and view can still read it",
            advice=f"begin another campaign with its {SCENARIO}",
        )  # fmt: skip
    kind = device.partition(":")[0]
    if kind != plan.device_kind or platform.machine() != plan.machine:
        raise InputError(
            str(where), f"was begun on {plan.device_kind} ({plan.machine}), and this is {kind} ({platform.machine()}); "
            "only the same kind of device gives identical results",
            advice="resume it on the same kind of device, or begin another campaign",
        )  # fmt: skip


def terms_here() -> tuple[str, ...]:
    """The terms of a plan that is made here."""
    return (*(f"{name} {version}" for name, version in versions_here().items()), f"a processor {platform.machine()}")


def versions_here() -> dict[str, str]:
    """Versions of the packages that decide the last bits."""
    return versions_of(*MODULES)
