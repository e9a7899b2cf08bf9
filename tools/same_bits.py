"""Whether two commits compute the same bits: every library scenario and drive, and batches with per-run parameters.

    .venv/bin/python tools/same_bits.py main~3 .            # two commits; "." is the working tree
    .venv/bin/python tools/same_bits.py v0.1.0 . --only msl-drop --device cuda:0

Each side is checked out on its own and computed by its own package in a process of its own. What a commit computed is
kept in `build/bits`, so that it is computed once. Printed is every variable that differs, with its largest difference;
the exit status is 1 if there is one.

Equal bits hold for one kind of processor and one version of Warp. That is why both sides are computed on the machine at
hand, and why no hashes are committed.
"""

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RUNS, SEED = 12, 20
BATCHES: dict[str, dict[str, Any]] = {
    "morpheus-hazard": {"vehicle.mass": {"distribution": "uniform", "low": 900.0, "high": 1100.0}},
    "msl-gale-drop": {"contact.rest_penetration": {"distribution": "uniform", "low": 0.01, "high": 0.03}},
    "hedgehog-hop": {"contact.friction": {"distribution": "uniform", "low": 0.4, "high": 0.8}},
    "mascot-hop": {"contact.friction": {"distribution": "uniform", "low": 0.4, "high": 0.8}},
}
"""Dispersions for scenarios that have none: each contact law, map, mesh and mechanism is in a batch."""
OTHER_METHOD: dict[str, dict[str, Any]] = {
    "cube-phobos": {"integrator": {"method": "rk4", "step": 5e-3, "accept_step": True}, "scenario.duration": 120.0},
    "msl-drop": {"integrator": {"method": "adaptive"}},
    "msl-gale-drop": {"integrator": {"method": "adaptive"}},
}
"""Scenarios that are computed by the other method as well: grounds whose code differs with the method."""


def cases(only: list[str]) -> Iterator[tuple[str, str]]:
    """Kind and name of every computation."""
    import planetfall

    for name in planetfall.library_names():
        if not only or name in only:
            yield "run", name
            if name in BATCHES or planetfall.load(name).dispersions:
                yield "batch", name
            if name in OTHER_METHOD:
                yield "method", name
    for name in planetfall.library_names("drives"):
        if not only or name in only:
            yield "drive", name


def computed(kind: str, name: str, device: str) -> Any:
    """The dataset of one case, by the package that is imported."""
    import planetfall

    if kind == "drive":
        return planetfall.drive(planetfall.load_drive(name)).data
    scenario = planetfall.load(name)
    if kind in ("run", "method"):
        return planetfall.run(scenario.with_values(OTHER_METHOD[name]) if kind == "method" else scenario, device).data
    if name in BATCHES:
        scenario = scenario.with_values({"dispersions": BATCHES[name]})
    return planetfall.montecarlo(scenario, RUNS, SEED, device=device).data


def compute_all(place: Path, only: list[str], device: str) -> None:
    """Writes the variables of every case that is not yet in the folder; a case that fails leaves its error."""
    place.mkdir(parents=True, exist_ok=True)
    for kind, name in cases(only):
        file = place / f"{kind}-{name}.npz"
        if file.exists():
            continue
        print(f"{place.name[:10]}: {kind} {name}", flush=True)
        try:
            data = computed(kind, name, device)
            values = {str(key): np.asarray(value.values) for key, value in {**data.coords, **data.data_vars}.items()}
        except Exception as error:  # an answer too: both sides must give the same one
            values = {"error": np.array(f"{type(error).__name__}: {error}")}
        part = file.with_name(f"{file.stem}.part")
        with part.open("wb") as stream:
            np.savez_compressed(stream, **{key: _plain(value) for key, value in values.items()})
        part.rename(file)


def _plain(values: np.ndarray) -> np.ndarray:
    return values.astype(str) if values.dtype.hasobject else values


@contextlib.contextmanager
def side(commit: str, device: str) -> Iterator[tuple[Path, Path]]:
    """The source tree of a commit, and the folder of what it computed. The working tree is computed anew."""
    kept = ROOT / "build" / "bits" / device.replace(":", "-")
    if commit == ".":
        folder = kept / f"working-tree-{os.getpid()}"
        yield ROOT, folder
        return
    whole = subprocess.check_output(["git", "rev-parse", f"{commit}^{{commit}}"], cwd=ROOT, text=True).strip()
    tree = kept / f"{whole}-tree"
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree), whole], cwd=ROOT, check=True)
    try:
        yield tree, kept / whole
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True)


def compared(old: Path, new: Path, only: list[str]) -> list[str]:
    """Names of the files that one side or the other has, of the cases asked for."""
    names = {file.name for folder in (old, new) for file in folder.glob("*.npz")}
    return sorted(name for name in names if not only or name[:-4].split("-", 1)[1] in only)


def differences(old: Path, new: Path, names: list[str]) -> Iterator[str]:
    """A line for every case and variable that is not the same on both sides, bit for bit."""
    for name in names:
        files = [folder / name for folder in (old, new)]
        if missing := [file.parent.name for file in files if not file.exists()]:
            yield f"{name[:-4]}: only one side has it, {missing[0]} does not"
            continue
        a, b = (dict(np.load(file)) for file in files)
        for key in sorted(a.keys() | b.keys()):
            if text := difference(a.get(key), b.get(key)):
                yield f"{name[:-4]}: {key} {text}"


def difference(a: np.ndarray | None, b: np.ndarray | None) -> str:
    """How two arrays differ, or nothing if all their bits agree."""
    if a is None or b is None:
        return "is new" if a is None else "is gone"
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"was {a.dtype}{list(a.shape)}, is {b.dtype}{list(b.shape)}"
    if a.tobytes() == b.tobytes():
        return ""
    if a.dtype.kind != "f":
        return "differs" if a.ndim else f"was {a}, is {b}"
    return f"differs by up to {np.nanmax(np.abs(a - b)):.3g} of {np.nanmax(np.abs(a)):.3g}"


def main() -> int:
    """Computes both sides at the same time, then compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old"), parser.add_argument("new", nargs="?", default=".")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these scenarios and drives alone")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.into:
        compute_all(given.into, given.only, given.device)
        return 0
    with side(given.old, given.device) as (old_tree, old), side(given.new, given.device) as (new_tree, new):
        started = [_start(tree, folder, given) for tree, folder in ((old_tree, old), (new_tree, new))]
        if any([process.wait() for process in started]):
            print("one side could not be computed; see above", file=sys.stderr)
            return 2
        names = compared(old, new, given.only)
        found = list(differences(old, new, names))
    print("\n".join(found) or f"the same bits in all {len(names)} cases")
    return int(bool(found))


def _start(tree: Path, folder: Path, given: argparse.Namespace) -> subprocess.Popen[bytes]:
    words = [sys.executable, __file__, given.old, "--into", str(folder), "--device", given.device]
    words += ["--only", *given.only] if given.only else []
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(tree / "src")})


if __name__ == "__main__":
    sys.exit(main())
