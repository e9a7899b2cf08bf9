"""Damaged folders are refused by the name of the file at fault, never with a traceback, with checksums and without."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import planetfall
from planetfall import InputError
from planetfall.record.trajectory import Trajectory
from support.command import inside
from support.dispersed import sliding_point

FILES = ("trajectory.nc", "summary.json", "events.csv", "scenario.toml")


@pytest.fixture
def folder(landing: Trajectory, tmp_path: Path) -> Path:
    return landing.save(tmp_path / "run")


def without_checksums(folder: Path) -> None:
    """As the first release wrote it."""
    path = folder / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8"))
    del summary["sha256"]
    path.write_text(json.dumps(summary), encoding="utf-8")


def edited(folder: Path, **values: Any) -> None:
    path = folder / "summary.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}), encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "holds a list and no table"),
        ("{}", "scenario is missing and no text"),
        ("null", "holds a NoneType"),
        ('"settled"', "holds a str"),
        ("{", r"cannot be read \(JSONDecodeError"),
        ("[" * 100_000, r"cannot be read \(RecursionError"),
        ('{"outcome": "settled"}', "scenario is missing"),
    ],
    ids=["list", "empty", "null", "text", "cut", "deep", "short"],
)
def test_a_summary_of_another_form_is_refused(content: str, said: str, folder: Path) -> None:
    (folder / "summary.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=rf"summary\.json: .*{said}"):
        planetfall.open(folder)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("outcome", 5, "outcome is 5 and no text"),
        ("outcome_sentence", [], "outcome_sentence is .* and no text"),
        ("schema", "new", "its schema is 'new'"),
        ("schema", True, "its schema is 'True'"),
        ("points", 4, "points is 4"),
        ("first_touch_s", [1.0], "first_touch_s is .* no list of 4 numbers"),
        ("peak_normal_force_N", "much", "peak_normal_force_N is 'much'"),
        ("end_s", "late", "end_s is 'late' and no number"),
        ("versions", "0.1", "versions is no table"),
        ("changes", [3], "changes is no list of tables"),
        ("phases", {"a": 1}, "phases is no list of tables"),
        ("sha256", [1], "sha256 is not a table of checksums"),
        ("sha256", {"../other": "00"}, "sha256 names '../other', which is no file of this run"),
    ],
)
def test_a_summary_with_wrong_types_is_refused(key: str, value: Any, said: str, folder: Path) -> None:
    edited(folder, **{key: value})
    with pytest.raises(InputError, match=rf"summary\.json: is damaged: {said}"):
        planetfall.open(folder)


def test_a_huge_field_of_a_table_is_refused(folder: Path) -> None:
    without_checksums(folder)
    with (folder / "events.csv").open("a", encoding="utf-8") as file:
        file.write("1.0,0,vehicle," + "x" * 200_000 + ",touch,1,1,1,1\n")
    with pytest.raises(InputError, match=r"events\.csv: cannot be read \(Error: field larger than field limit"):
        planetfall.open(folder)


@pytest.mark.parametrize("name", ["trajectory.nc", "events.csv", "scenario.toml"])
def test_a_change_of_one_bit_is_noticed(name: str, folder: Path) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}: was changed or damaged since it was written: .* run the scenario"):
        planetfall.open(folder)


def test_what_people_may_edit_they_may(folder: Path, landing: Trajectory) -> None:
    """A note in the summary, another figure; and data on purpose, once the checksum is out as the message says."""
    edited(folder, remark="the one for the review")
    (folder / "track.png").write_bytes(b"a better one")
    assert planetfall.open(folder).summary == {**landing.summary, "remark": "the one for the review"}
    table = (folder / "events.csv").read_text(encoding="utf-8").splitlines()
    (folder / "events.csv").write_text("\n".join(table[:-1]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"if you changed it on purpose, take its line under sha256 in summary\.json"):
        planetfall.open(folder)
    sums = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["sha256"]
    edited(folder, sha256={name: value for name, value in sums.items() if name != "events.csv"})
    assert planetfall.open(folder).events == landing.events[:-1]


def mutated(content: bytes, luck: random.Random) -> bytes:
    """Bytes flipped, cut out, cut off, doubled, or replaced by noise."""
    data = bytearray(content)
    kind = luck.randrange(5)
    at, size = luck.randrange(len(data)), luck.choice((1, 2, 8, 64, 1000))
    if kind == 0:
        for _ in range(size):
            data[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
    elif kind == 1:
        del data[at : at + size]
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        data[at:at] = data[at : at + size]
    else:
        data[at : at + size] = luck.randbytes(size)
    return bytes(data)


def fuzz(folder: Path, n: int, seed: int, names: tuple[str, ...], verbs: int = 0) -> dict[str, int]:
    """Opens a folder with one file mutated, many times; the first that open all the same go through some verbs too."""
    luck = random.Random(seed)
    found = {"refused": 0, "opened": 0}
    for i in range(n):
        name = names[i % len(names)]
        path = folder / name
        before = path.read_bytes()
        path.write_bytes(mutated(before, luck))
        try:
            planetfall.open(folder)
            found["opened"] += 1
            if found["opened"] <= verbs:
                for words in (
                    ("report", folder.name, "--force"),
                    ("view", folder.name, "--export", "v.html", "--force"),
                ):
                    done = inside(*words, cwd=folder.parent)  # raises here what is not said in a sentence
                    assert done.returncode in (0, 1, 2)
        except InputError as error:
            assert folder.name in error.where or name == "scenario.toml"
            found["refused"] += 1
        finally:
            path.write_bytes(before)
    return found


def test_mutated_runs_are_refused(folder: Path) -> None:
    """With checksums nothing but the summary can be changed unnoticed."""
    found = fuzz(folder, 40, 1, ("trajectory.nc", "events.csv", "scenario.toml"), 0)
    assert found["opened"] <= 1, "a mutation may leave a file as it was"
    fuzz(folder, 20, 2, ("summary.json",), 0)


def test_mutated_runs_without_checksums_end_in_sentences(folder: Path) -> None:
    without_checksums(folder)
    found = fuzz(folder, 60, 3, FILES, 1)
    assert found["refused"] > 20


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign") / "c"
    planetfall.montecarlo(sliding_point(), n=10, seed=3, shard_size=5, out=place)
    return place


@pytest.mark.filterwarnings("ignore::planetfall.errors.IncompleteWarning")
def test_mutated_campaigns_are_refused(campaign: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(campaign, tmp_path / "c"))
    shards = tuple(f"runs/{path.name}" for path in (folder / "runs").iterdir())
    found = fuzz(folder, 40, 4, ("campaign.json", "scenario.toml", *shards), 0)
    assert found["opened"] <= 3, "a blank more in a JSON file, or less, changes nothing"
    fuzz(folder, 10, 5, ("summary.json",), 0)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::planetfall.errors.IncompleteWarning")
@pytest.mark.parametrize("seed", range(10))
def test_many_mutated_folders_end_in_sentences(folder: Path, campaign: Path, seed: int, tmp_path: Path) -> None:
    fuzz(folder, 200, 100 + seed, FILES, 20)
    without_checksums(folder)
    fuzz(folder, 600, 200 + seed, ("trajectory.nc", *FILES), 20)
    place = Path(shutil.copytree(campaign, tmp_path / "c"))
    shards = tuple(f"runs/{path.name}" for path in (place / "runs").iterdir())
    fuzz(place, 200, 300 + seed, ("campaign.json", "summary.json", "scenario.toml", *shards), 5)
