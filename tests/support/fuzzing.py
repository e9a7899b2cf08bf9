"""Readers under spoiled inputs, many to a process: each ends in a result or in our error, soon and in little memory.

    python fuzzing.py SEEDS OUT SEED FIRST LAST

spoils and reads the inputs FIRST to before LAST of a seed, each of which depends on seed and number alone. What fails
is written to OUT/NUMBER.json, its files to OUT/NUMBER; OUT/at holds the number that is being read, for whoever looks
after a process that died.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a program of its own it has no other way to its neighbours

from support.fuzz_seeds import INDEX
from support.spoiled_files import CHANGES

SECONDS, MEMORY = 10, 1 << 30
"""How long a spoiled input may take [s], and how much more address space [byte]."""
LOADING = 120
"""How long a sound one may take that is the first of its kind [s]: packages are loaded for it."""
DESCRIPTIONS = (".json", ".toml", ".csv", ".lbl", ".nc")
"""Of a folder, what says what the rest is: spoiled more often."""
SHARD = ".parquet"


def spoil(source: Path, folder: Path, kind: str, random: Random) -> str:
    """Copies an input and spoils one file of it, mostly once; returns which."""
    shutil.copytree(source, folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    told = [path for path in paths if path.suffix in DESCRIPTIONS]
    path = random.choice(told if told and random.random() < 0.5 else paths)
    data = path.read_bytes()
    for _ in range(1 if random.random() < 0.8 else random.randint(2, 4)):
        data = random.choice(CHANGES)(data, random)
    path.write_bytes(data)
    if path.suffix == SHARD and random.random() < 0.5:  # as if it had been written so: its name is a checksum
        from planetfall.record.files.shards import _digest

        path.rename(path.with_name(f"{path.stem.rpartition('-')[0]}-{_digest(data)}{SHARD}"))
    return path.relative_to(folder).as_posix()


def read(kind: str, path: Path) -> None:
    """Reads an input as a user would have it read."""
    if kind == "terrain":
        from planetfall.world.terrain.readers.load import MeshReading, load_terrain_file
        from planetfall.world.terrain.readers.rasters.raster import RasterReading

        raster = RasterReading(spacing=1.0) if path.suffix == ".npy" else RasterReading()
        load_terrain_file(path, raster=raster, mesh=MeshReading(index_base=None))
    elif kind == "gravity":
        from planetfall.world.gravity.readers.load import load_gravity_file

        load_gravity_file(path)
    elif kind == "rover":
        from planetfall.scenario.files.rover_urdf import read_rover_urdf

        read_rover_urdf(path)
    elif kind in ("scenario", "drive"):
        import planetfall

        (planetfall.load if kind == "scenario" else planetfall.load_drive)(path)
    else:
        _open(path / "run")


def _open(folder: Path) -> None:
    """Opens a folder, and asks a campaign's plan whether it may be gone on with."""
    import planetfall
    from planetfall.campaign.plan import check_files, read_plan

    planetfall.open(folder)
    if (folder / "campaign.json").exists():
        check_files(read_plan(folder))


def problem_of(kind: str, path: Path, seconds: int = SECONDS) -> str:
    """What is wrong with how an input is read; empty if nothing is."""
    from planetfall.errors import IncompleteWarning, PlanetfallError

    def late(*_: Any) -> None:
        raise TimeoutError(f"not read within {seconds} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    printed, problem = io.StringIO(), ""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(printed):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", IncompleteWarning)
            read(kind, path)
    except PlanetfallError as error:
        problem = "" if str(error).strip() else "an error without words"
    except BaseException:
        problem = traceback.format_exc()
    finally:
        signal.alarm(0)
    return problem or (f"printed: {printed.getvalue()}" if "Traceback" in printed.getvalue() else "")


def main(seeds: str, out: str, seed: str, first: str, last: str) -> None:
    """One process of many inputs."""
    index = json.loads((Path(seeds) / INDEX).read_text())
    for kind, folder, file in {entry[0]: entry for entry in index}.values():  # what is loaded once does not count
        if problem := problem_of(kind, Path(seeds) / folder / file, LOADING):
            raise AssertionError(f"a {kind} that nobody spoiled: {problem}")
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)
    place = Path(out)
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(int(first), int(last)):
            (place / "at").write_text(str(number))
            random = Random(f"{seed} {number}")
            kind, folder, file = random.choice(index)
            copy = Path(scratch) / "input"
            spoiled = spoil(Path(seeds) / folder, copy, kind, random)
            begin = time.monotonic()
            problem = problem_of(kind, copy / file)
            took = time.monotonic() - begin
            if problem or took > SECONDS:
                shutil.copytree(copy, place / str(number))
                found = {"seed": seed, "number": number, "kind": kind, "file": file, "spoiled": spoiled}
                (place / f"{number}.json").write_text(json.dumps({**found, "seconds": took, "problem": problem}))
            shutil.rmtree(copy)


def fuzz(seeds: Path, out: Path, seed: int, n: int, at_once: int = 2000) -> list[dict[str, Any]]:
    """Reads `n` spoiled inputs; returns what failed. Their files stay in `out`."""
    out.mkdir(parents=True, exist_ok=True)
    first = 0
    while first < n:
        last = min(first + at_once, n)
        words = [sys.executable, __file__, *map(str, (seeds, out, seed, first, last))]
        try:  # a reader that does not answer to an alarm is ended from outside
            limit = 60.0 + 2 * SECONDS + 0.5 * (last - first)
            done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=limit)
            code, said = done.returncode, done.stderr[-2000:]
        except subprocess.TimeoutExpired:
            code, said = -1, "the process hangs"
        if code == 0:
            first = last
            continue
        at = int((out / "at").read_text()) if (out / "at").exists() else first
        lost = {"seed": str(seed), "number": at, "problem": f"the process ended with {code}: {said}"}
        (out / f"{at}.json").write_text(json.dumps(lost))
        first = at + 1
    return [json.loads(path.read_text()) for path in sorted(out.glob("*.json"))]


if __name__ == "__main__":
    main(*sys.argv[1:])
