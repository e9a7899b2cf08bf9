"""`campaign.json`: the terms of a campaign, and whether the files beside it agree with them."""

import hashlib
import json
from pathlib import Path
from typing import Any

from planetfall.errors import InputError
from planetfall.record.files.plain_json import json_text
from planetfall.record.files.schema import KEY, PLAN, SCENARIO, SUMMARY, checked_schema
from planetfall.record.files.shards import Shard, Terms, found_shards, go_on, shards_of, write_whole
from planetfall.scenario.files.load import file_places, scenario_from_dict
from planetfall.scenario.files.paths import PathRule, placed, relative_to
from planetfall.scenario.files.toml_file import read_toml
from planetfall.scenario.scenario import Scenario

DIGEST = "digest"
_TWICE = {"n": "n_planned", "seed": "seed", "sampling": "sampling"}
"""Terms that `summary.json` holds as well, with their names there."""


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file whole or not at all."""
    write_whole(path, (json_text(content) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file; one that is not there is empty."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(str(path), f"cannot be read ({error})") from None
    if not isinstance(found, dict):
        raise InputError(str(path), f"is not what a campaign writes: it holds a {type(found).__name__}", "a table")
    return found


def with_digest(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with the SHA-256 of all else that it holds; shard files name the plan that they belong to by it."""
    kept = {name: value for name, value in plan.items() if name != DIGEST}
    text = json.dumps(json.loads(json_text(kept)), sort_keys=True)
    return {**kept, DIGEST: hashlib.sha256(text.encode()).hexdigest()}


def write_campaign(folder: Path, plan: dict[str, Any]) -> str:
    """Writes `campaign.json`; files are named in it as in `scenario.toml`, relative to the folder.

    Returns:
        The digest of what was written; empty for a plan of the first release, which has none.
    """
    stored = _with_names(plan, relative_to(folder))
    stored = with_digest(stored) if stored.get(KEY) else stored
    write_json(folder / PLAN, stored)
    return stored.get(DIGEST, "")


def read_campaign(folder: Path) -> dict[str, Any]:
    """The content of `campaign.json`, after a look whether it is whole and agrees with the files beside it.

    Names of files are whole; in the file they are relative to its folder.

    Raises:
        InputError: It is damaged, was written by a newer version, or was changed since the campaign began; the message
            names what does not agree.
    """
    path, advice = folder / PLAN, "put it back as it was, or begin another campaign"
    plan = read_json(path)
    schema = checked_schema(plan.get(KEY), str(path))
    _check_types(plan, path)
    drawn = plan.get("scenario", {}).get("scenario", {}).get("seed", plan["seed"])
    if drawn != plan["seed"]:
        problem = f"was changed since the campaign began: seed is {plan['seed']}, that of its scenario is {drawn}"
        raise InputError(str(path), problem, advice=advice)
    summary = read_json(folder / SUMMARY)
    for name, there in _TWICE.items():
        if there in summary and name in plan and summary[there] != plan[name]:
            problem = f"{name} is {plan[name]!r}, in {SUMMARY} {there} is {summary[there]!r}"
            raise InputError(str(path), f"does not agree with {SUMMARY}: {problem}", advice=advice)
    if schema and plan.get(DIGEST) != with_digest(plan)[DIGEST]:
        problem = "was changed since the campaign began: its digest does not fit its content"
        raise InputError(str(path), problem, advice=advice)
    return _with_names(plan, file_places(folder / SCENARIO))


def _with_names(plan: dict[str, Any], place: PathRule) -> dict[str, Any]:
    """A plan in which the files have other names."""
    named: dict[str, Any] = {}
    if "scenario" in plan:
        named["scenario"] = placed(plan["scenario"], Scenario, place)
    if "files" in plan:
        named["files"] = {place(name): digest for name, digest in plan["files"].items()}
    return {**plan, **named}


def _check_types(plan: dict[str, Any], path: Path) -> None:
    for name in ("n", "shard_size", "seed"):
        value, least = plan.get(name), 0 if name == "seed" else 1
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            shown = "missing" if value is None else f"{str(value)[:40]!r}"
            problem = f"is not a plan of a campaign that this version can read: {name} is {shown}"
            raise InputError(str(path), problem, f"a whole number from {least}")
    scenario = plan.get("scenario", {})
    tables = {name: plan.get(name, {}) for name in ("files", "versions", "scenario")}
    if isinstance(scenario, dict):
        tables["scenario.scenario"] = scenario.get("scenario", {})
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(str(path), f"is not a plan of a campaign that this version can read: {name} is no table")


def terms_of(plan: dict[str, Any]) -> Terms:
    """What every shard of a campaign has to say of itself."""
    return Terms(plan["seed"], plan.get(DIGEST, ""))


def shards_there(folder: Path, plan: dict[str, Any]) -> dict[Shard, Path]:
    """Shard files by the runs that they hold, in order, all of them shards of the plan.

    Raises:
        InputError: A file is not a shard of this campaign, or two hold the same runs.
    """
    legal, found = set(shards_of(plan["n"], plan["shard_size"])), found_shards(folder)
    for shard, path in found.items():
        if shard not in legal:
            raise InputError(
                str(path), f"is not a shard of this campaign, which has {plan['n']} runs in shards of "
                f"{plan['shard_size']}", advice="move it out of the folder",
            )  # fmt: skip
    return found


def missing_runs(plan: dict[str, Any], summary: dict[str, Any], shards: dict[Shard, Path]) -> list[Shard]:
    """Runs without a row, joined where they follow each other; a stop rule that was met needs no more than it took."""
    n = plan["n"]
    if plan.get("until") and summary.get("is_complete") is True and isinstance(summary.get("n_runs"), int):
        n = min(n, summary["n_runs"])
    gaps: list[Shard] = []
    at = 0
    for shard in [*shards, Shard(n, n)]:
        if shard.first > at:
            gaps.append(Shard(at, shard.first))
        at = max(at, shard.last)
    return gaps


def gap_sentence(folder: Path, plan: dict[str, Any], summary: dict[str, Any], gaps: list[Shard]) -> str:
    """What is missing of a campaign, and the command that makes it; empty where nothing is."""
    if not gaps:
        return ""
    n_missing = sum(gap.n for gap in gaps)
    shown = ", ".join(f"{gap.first} to {gap.last - 1}" for gap in gaps[:3]) + (", ..." if len(gaps) > 3 else "")
    n = max(plan["n"] if not plan.get("until") else 0, gaps[-1].last)
    head = f"{n - n_missing} of {n} runs"
    if summary.get("is_complete") is True:
        why = f"runs {shown} are missing though {SUMMARY} counts them: their files in runs/ are gone"
    else:
        why = f"the campaign is not finished (missing: runs {shown})"
    return f"{folder}: holds {head}; {why}; make them with {go_on(folder)}"


def check_scenario(plan: dict[str, Any], scenario: Scenario, folder: Path) -> None:
    """Refuses a `scenario.toml` that is not the one of the plan, by what the file says or by what it means.

    A later version may have keys that neither of them has.
    """
    if "scenario" not in plan or read_toml(folder / SCENARIO) == read_json(folder / PLAN)["scenario"]:
        return
    meant = scenario_from_dict(plan["scenario"], f"the scenario in {folder / PLAN}").to_dict()
    if json.dumps(meant, sort_keys=True) != json.dumps(scenario.to_dict(), sort_keys=True):
        raise InputError(
            str(folder / SCENARIO), "has been changed since the campaign began",
            advice=f"restore it ({PLAN} holds it as it was), or begin another campaign with the changed one",
        )  # fmt: skip
