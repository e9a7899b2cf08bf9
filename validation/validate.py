"""`make validate`: the same cases here and by other programs, each in an environment of its own; writes a page.

    .venv/bin/python validation/validate.py [--environments DIR] [--only NAME ...]

A peer that does not install, or fails, is named on the page with its error. Of references, papers, rays and oracles
(`references.py`) `--only` makes a part anew without any peer; the rest of the page stays. Nothing here is part of
`make test`.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tables import (
    Numbers,
    ball_table,
    block_table,
    bowl_table,
    draw_slides,
    entry_table,
    order_table,
    said,
    shown,
    table,
)

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "validation.md"
REFERENCES = ("NESC", "Mars", "papers", "Embree", "SciPy")
"""Parts of `references.py`: made here, with nothing to install."""
TIMEOUT = 1800.0
"""Seconds that an installation or a peer may take."""


@dataclass(frozen=True)
class Peer:
    """Another program: its name, what pip installs, the script that runs it, and what stands against it."""

    name: str
    package: str
    script: str = ""
    note: str = ""


PEERS = (
    Peer("MuJoCo", "mujoco==4.0.0", "peer_mujoco.py"),
    Peer("Drake", "drake==1.51.1", "peer_drake.py"),
    Peer("Newton", "newton==1.8.0", "peer_newton.py"),
    Peer("Basilisk", "bsk==2.12.1", "peer_basilisk.py"),
    Peer("Chrono", "", note="not on the package index: `pychrono` there (1.1.0) is another project, about timers"),
    Peer("AMAT", "amat==2.3.0", "entry.py"),
    Peer("JSBSim", "jsbsim==1.3.3", "entry.py"),
    Peer("simupy-flight", "", note="pip finds no version of it: `No matching distribution found for simupy-flight`"),
)


def environment(peer: Peer, folder: Path) -> Path | str:
    """The Python of a peer's environment, made where it is not there; or why there is none."""
    name, _, pinned = peer.package.partition("==")
    place = folder / f"v-{name}"
    python = place / "bin" / "python"
    if not python.exists():
        for words in (
            [sys.executable, "-m", "venv", str(place)],
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", peer.package],
        ):
            done = _run(words)
            if isinstance(done, str):
                return done
    done = _run([str(python), "-c", f"from importlib.metadata import version; print(version({name!r}))"])
    if isinstance(done, str):
        return done
    there = done.stdout.strip()
    return (
        python if there == pinned else f"{place} has {name} {there}; remove that folder, so that {pinned} is installed"
    )


def _run(words: list[str]) -> subprocess.CompletedProcess[str] | str:
    """A command to its end, or the last line of what it said against it."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, cwd=ROOT)
    except (subprocess.TimeoutExpired, OSError) as error:
        return f"{type(error).__name__}: {error}"
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        return f"exit code {done.returncode}: {said[-1][:200]}"
    return done


def numbers(python: Path | str, script: str, *words: str) -> Numbers:
    """What a script prints on its last line; or its error, under `error`."""
    done = _run([str(python), str(HERE / script), *words])
    if isinstance(done, str):
        return {"error": done}
    return json.loads(done.stdout.strip().splitlines()[-1])


def _asked(peer: Peer, python: Path, work: Path) -> Numbers:
    """What a peer says; of flights, what our script says that runs beside it."""
    if peer.script == "entry.py":
        return numbers(sys.executable, peer.script, str(work), f"--{peer.name.lower()}", str(python))
    return numbers(python, peer.script, str(work))


def peer_table(peers: dict[str, Numbers], only: list[str] | None) -> str:
    """Every program, what pip installs of it, and how it went; of those not among `only` an earlier call tells."""
    rows = []
    for peer in PEERS:
        found = peers.get(peer.name, {})
        state = peer.note or "compared"
        if "error" in found:
            state = f"failed: {found['error']}"
        elif peer.package and only and peer.name not in only:
            state = "compared, in an earlier call of the command"
        rows.append([peer.name, f"`{peer.package}`" if peer.package else "-", state])
    return table(["program", "installed by pip", "state"], rows)


def gravity_table(gravity: Numbers, basilisk: Numbers) -> str:
    """Gravity near a small body by three programs."""
    rows = [
        ["our polyhedron, 5,120 facets, to our exact ellipsoid", shown(gravity, "polyhedron", ".2g")],
        ["polyhedral-gravity, the same mesh, to our polyhedron", shown(gravity, "polyhedral-gravity.to_ours", ".2g")],
        ["Basilisk, the same mesh, to our polyhedron", shown(basilisk, "to_ours", ".2g")],
    ]
    return table(["field", "largest relative difference"], rows)


def reference(name: str) -> str:
    """A part of `references.py` under the command and the date; or its error."""
    done = _run([sys.executable, str(HERE / "references.py"), name])
    made = done if isinstance(done, str) else done.stdout.strip()
    return (
        made
        if name == "programs"
        else f"`validation/validate.py --only {name}`, {datetime.now(UTC):%Y-%m-%d}:\n\n{made}"
    )


def peer_parts(
    ours: Numbers, gravity: Numbers, peers: dict[str, Numbers], only: list[str] | None, loads: list[float]
) -> dict[str, str]:
    """Tables and numbers of the page that other programs are in, by their names there."""
    return {
        "MADE": f"{datetime.now(UTC):%Y-%m-%d}, Planetfall {ours.get('version', '?')}, "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        "LOAD": f"{os.cpu_count()} cores with a load of {min(loads):.1f} to {max(loads):.1f}",
        "PEERS": peer_table(peers, only),
        "ORDER": order_table(ours, peers),
        "BLOCK": block_table(ours, peers),
        "BOWL": bowl_table(ours, peers),
        "ENTRY": entry_table(peers),
        "BALL": ball_table(ours, peers),
        "GRAVITY": gravity_table(gravity, peers.get("Basilisk", {})),
        **said(ours, peers),
    }


def template() -> list[str]:
    """The text of page.md, and between its pieces the names that stand there between @ signs."""
    return re.split(r"@([A-Z_]+)@", (HERE / "page.md").read_text(encoding="utf-8"))


def filled(parts: dict[str, str]) -> str:
    """The page: the text of page.md with tables and numbers in place of the names."""
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(template()))


def parts_of(page: str) -> dict[str, str]:
    """Tables and numbers of a page that was made before, by their names in page.md."""
    pieces = template()
    found = re.fullmatch("".join("(.*?)" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)), page, re.S)
    if found is None:
        sys.exit(f"{PAGE.name} has another text than page.md; make it anew without --only")
    return dict(zip(pieces[1::2], found.groups(), strict=True))


def compare(environments: Path, only: list[str] | None) -> dict[str, str]:
    """Runs our cases and the peers' (of those not among `only`, an earlier call tells); draws the figure."""
    loads = [os.getloadavg()[0]]
    environments.mkdir(parents=True, exist_ok=True)
    work = environments / "exchange"
    work.mkdir(exist_ok=True)
    ours = numbers(sys.executable, "ours.py")
    gravity = numbers(sys.executable, "gravity_ours.py", str(work))
    for name, found in (("ours.py", ours), ("gravity_ours.py", gravity)):
        if "error" in found:
            sys.exit(f"{name}: {found['error']}")
    kept = work / "results.json"
    peers: dict[str, Numbers] = json.loads(kept.read_text()) if only else {}
    for peer in PEERS:
        if not peer.package or (only and peer.name not in only):
            continue
        python = environment(peer, environments)
        if isinstance(python, str):
            peers[peer.name] = {"error": python}
        elif peer.script:
            peers[peer.name] = _asked(peer, python, work)
        print(peer.name, peers.get(peer.name, "installed"), flush=True)
        kept.write_text(json.dumps(peers))
        loads.append(os.getloadavg()[0])
    draw_slides(ours, peers, PAGE.parent / "assets")
    return peer_parts(ours, gravity, peers, only, loads)


def main() -> None:
    """Runs everything, or what is asked for, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "peers")
    names = [*(peer.name for peer in PEERS if peer.package), *REFERENCES]
    parser.add_argument(
        "--only", nargs="+", choices=names, metavar="NAME", help=f"Make these; keep the others: {', '.join(names)}."
    )
    options = parser.parse_args()
    asked = options.only or names
    parts = parts_of(PAGE.read_text(encoding="utf-8")) if options.only else {}
    if set(asked) - set(REFERENCES):
        parts |= compare(options.environments, options.only)
    parts["PROGRAMS"] = reference("programs")
    for name in REFERENCES:
        if name in asked:
            parts[name.upper()] = reference(name)
            print(name, parts[name.upper()], sep="\n", flush=True)
    PAGE.write_text(filled(parts), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
