"""Plan, digest, names of shards and numbers of rows of a campaign agree, or the campaign says what does not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w

import planetfall
from planetfall import InputError
from planetfall.errors import IncompleteWarning
from planetfall.record.files.shards import Shard, found_shards, read_shards, write_shard
from support.command import inside
from support.dispersed import assert_same_tables, sliding_point

N, SIZE = 24, 5


def campaign(folder: Path, seed: int = 3, n: int = N, **values: Any) -> Path:
    planetfall.montecarlo(sliding_point(**values), n=n, seed=seed, shard_size=SIZE, out=folder)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign, one of another seed, one of another speed, and one that is longer."""
    place = tmp_path_factory.mktemp("made")
    campaign(place / "c")
    campaign(place / "seed", 4)
    campaign(place / "faster", initial__velocity=[1.3, 0.0, 0.0])
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "c", tmp_path / "c"))


def edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def refused(folder: Path, said: str) -> None:
    """By every way into a folder, and the folder stays as it was."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}
    for way in (planetfall.open, planetfall.resume):
        with pytest.raises(InputError, match=said):
            way(folder)
    for words in (("report", folder.name, "--out", "page.html"), ("view", folder.name, "--export", "view.html")):
        done = inside(*words, cwd=folder.parent)
        assert done.returncode == 2, done.stdout + done.stderr
        assert done.stderr.startswith("planetfall: ")
        assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"} == before


@pytest.mark.parametrize(("key", "value"), [("seed", 4), ("n", 48), ("n", 25), ("sampling", "sobol")])
def test_an_edited_plan_is_refused_by_what_was_edited(key: str, value: Any, folder: Path) -> None:
    edit(folder / "campaign.json", lambda plan: plan.update({key: value}))
    refused(folder, rf"campaign\.json: .*{key} is '?{value}'?")


@pytest.mark.parametrize(("key", "value"), [("shard_size", 10), ("until", "mean(x_m) +- 1"), ("machine", "abacus")])
def test_other_edits_of_the_plan_do_not_fit_its_digest(key: str, value: Any, folder: Path) -> None:
    edit(folder / "campaign.json", lambda plan: plan.update({key: value}))
    refused(folder, r"campaign\.json: was changed since the campaign began: its digest does not fit")


def test_a_seed_that_is_edited_everywhere_does_not_fit_the_digest(folder: Path) -> None:
    def change(plan: dict[str, Any]) -> None:
        plan["seed"] = plan["scenario"]["scenario"]["seed"] = 4

    edit(folder / "campaign.json", change)
    edit(folder / "summary.json", lambda summary: summary.update(seed=4))
    scenario = json.loads((folder / "campaign.json").read_text())["scenario"]
    (folder / "scenario.toml").write_text(tomli_w.dumps(scenario), encoding="utf-8")
    refused(folder, r"campaign\.json: was changed since the campaign began: its digest does not fit")


def test_a_shard_of_another_seed_is_refused(made: Path, folder: Path) -> None:
    other = found_shards(made / "seed")[Shard(5, 10)]
    found_shards(folder)[Shard(5, 10)].unlink()
    shutil.copy(other, folder / "runs" / other.name)
    refused(folder, rf"{other.name}: is of another campaign: its seed is 4 and not 3; move it out of the folder")


def test_a_shard_of_another_scenario_is_refused(made: Path, folder: Path) -> None:
    """It has the same seed, runs and columns; only the digest of its plan tells."""
    other = found_shards(made / "faster")[Shard(5, 10)]
    found_shards(folder)[Shard(5, 10)].unlink()
    shutil.copy(other, folder / "runs" / other.name)
    refused(folder, rf"{other.name}: is of another campaign: it was written for another plan")


def test_two_files_of_the_same_runs_are_refused(made: Path, folder: Path) -> None:
    other = found_shards(made / "seed")[Shard(5, 10)]
    shutil.copy(other, folder / "runs" / other.name)
    refused(folder, r"holds the same runs as 000000005-000000009-")


def test_a_shard_under_another_name_is_refused(folder: Path) -> None:
    shards = found_shards(folder)
    content = shards[Shard(5, 10)]
    table = read_shards([content])
    shards[Shard(10, 15)].unlink()
    write_shard(folder, Shard(10, 15), table)
    refused(folder, "does not hold the runs that its name says")


def test_a_shard_with_fewer_rows_is_refused(folder: Path) -> None:
    path = found_shards(folder)[Shard(5, 10)]
    table = read_shards([path])
    path.unlink()
    write_shard(folder, Shard(5, 10), table.slice(0, 3))
    refused(folder, "has 3 rows, its name says 5")


def test_a_shard_beyond_the_plan_is_refused(folder: Path) -> None:
    path = found_shards(folder)[Shard(20, 24)]
    path.rename(path.with_name(path.name.replace("000000020-000000023", "000000024-000000027")))
    refused(folder, "is not a shard of this campaign, which has 24 runs in shards of 5")


def test_a_summary_of_other_rows_is_refused(folder: Path) -> None:
    edit(folder / "summary.json", lambda summary: summary.update(n_runs=23))
    with pytest.raises(InputError, match=r"summary\.json: counts 23 runs, the shards hold 24; make it again with"):
        planetfall.open(folder)
    assert planetfall.resume(folder).summary["n_runs"] == 24


def test_a_lost_shard_is_named_by_all(folder: Path) -> None:
    whole = planetfall.open(folder)
    found_shards(folder)[Shard(5, 10)].unlink()
    with pytest.warns(IncompleteWarning, match=r"holds 19 of 24 runs; runs 5 to 9 are missing though summary\.json"):
        opened = planetfall.open(folder)
    assert isinstance(opened, planetfall.Ensemble)
    assert opened.gap.endswith(f"make them with planetfall montecarlo --resume {folder}")
    assert not opened.summary["is_complete"]
    assert (opened.summary["n_runs"], opened.summary["n_planned"]) == (19, 24)
    assert opened.summary["missing_runs"] == [[5, 9]]
    assert "columns" not in opened.summary, "numbers of rows that are gone"
    done = inside("report", "c", cwd=folder.parent)
    assert done.returncode == 0
    assert done.stderr == "planetfall: note: c: holds 19 of 24 runs; runs 5 to 9 are missing though summary.json " \
        "counts them: their files in runs/ are gone; make them with planetfall montecarlo --resume c\n"  # fmt: skip
    page = (folder.parent / "c-report.html").read_text(encoding="utf-8")
    assert "19 runs of 24 planned" in page
    assert "runs 5 to 9 are missing" in page
    (folder.parent / "c-report.html").unlink()
    done = inside("montecarlo", "--resume", "c", cwd=folder.parent)
    assert "note: runs 5 to 9 are missing though summary.json counts them; they are done again" in done.stderr
    assert_same_tables(planetfall.open(folder).data, whole.data)


def test_an_unfinished_campaign_opens_and_says_so(folder: Path) -> None:
    for shard in (Shard(10, 15), Shard(20, 24)):
        found_shards(folder)[shard].unlink()
    (folder / "summary.json").unlink()
    with pytest.warns(IncompleteWarning, match=r"15 of 24 runs; .* not finished \(missing: runs 10 to 14, 20 to 23\)"):
        opened = planetfall.open(folder)
    assert opened.summary["seed"] == 3
    done = inside("view", "c", "--export", "view.html", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    done = inside("report", "c", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert "15 runs of 24 planned" in (folder.parent / "c-report.html").read_text(encoding="utf-8")


def test_a_lost_shard_of_a_campaign_that_stopped_early_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    whole = planetfall.montecarlo(sliding_point(), n=500, until="mean(distance_m) +- 0.05", shard_size=SIZE, out=folder)
    n = len(whole.data.run)
    assert 2 * SIZE < n < 500
    assert planetfall.open(folder).summary["is_complete"]
    found_shards(folder)[Shard(n - SIZE, n)].unlink()
    with pytest.warns(IncompleteWarning, match=rf"holds {n - SIZE} of {n} runs; runs {n - SIZE} to {n - 1} are miss"):
        planetfall.open(folder)


def broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("a fault of ours")


def test_a_fault_in_the_summary_leaves_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s.toml").write_text(tomli_w.dumps(sliding_point().to_dict()), encoding="utf-8")
    monkeypatch.setattr("planetfall.campaign.campaign.summarise_columns", broken)
    words = ("montecarlo", "s.toml", "-n", str(N), "--seed", "3", "--shard-size", str(SIZE), "--out", "c")
    done = inside(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "planetfall: c: all 24 rows are written, but outcomes and distributions could not be worked out "
        "(ZeroDivisionError: a fault of ours); summarise them again with planetfall montecarlo --resume c, once that "
        "is fixed"
    )
    opened = planetfall.open(tmp_path / "c")
    assert len(opened.data.run) == N
    assert opened.summary["is_complete"]
    assert len(opened.summary["problems"]) == 1
    monkeypatch.undo()
    monkeypatch.setattr("planetfall.campaign.plan.versions_here", lambda: {"planetfall": "the mended one"})
    assert inside("montecarlo", "--resume", "c", cwd=tmp_path).returncode == 0
    assert planetfall.open(tmp_path / "c").summary["columns"]["distance_m"]["n"] == N


def test_a_fault_in_the_page_is_told_with_the_way_to_make_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planetfall.report.page.ensemble_page.draw_ensemble", broken)
    done = inside("report", "c", cwd=folder.parent)
    assert done.returncode == 1
    assert done.stderr == (
        "planetfall: c: the data are safe, but the page could not be made of them (ZeroDivisionError: a fault of "
        "ours); make it again with planetfall report c, once that is fixed\n"
    )


def test_what_json_cannot_hold_does_not_cost_the_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planetfall.campaign.campaign._detections", lambda paths: {"detection": object()})
    done = planetfall.montecarlo(sliding_point(), n=N, seed=3, shard_size=SIZE, out=tmp_path / "c")
    assert done.summary["columns"]["distance_m"]["n"] == N
    assert "detection is of type object" in done.summary["problems"][0]
