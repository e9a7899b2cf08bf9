"""`make validate`: the same cases here and by other programs, each in an environment of its own; writes a page.

    .venv/bin/python validation/validate.py [--environments DIR] [--only NAME ...]

A peer that does not install, or fails, is named on the page with its error. Nothing here is part of `make test`.
"""

import argparse
import json
import math
import platform
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
CASES = json.loads((HERE / "cases.json").read_text())
PAGE = ROOT / "docs" / "validation.md"
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
    Peer("Drake", "drake==1.58.0", "peer_drake.py"),
    Peer("Newton", "newton==1.8.0", "peer_newton.py"),
    Peer("Basilisk", "bsk==2.12.1", "peer_basilisk.py"),
    Peer("Chrono", "", note="not on the package index: `pychrono` there (1.1.0) is another project, about timers"),
    Peer("AMAT", "amat==2.4.1", note="installs; no case of entry is compared yet"),
    Peer("JSBSim", "jsbsim==1.3.3", note="installs; no case of entry is compared yet"),
)


def environment(peer: Peer, folder: Path) -> Path | str:
    """The Python of a peer's environment, made where it is not there; or why there is none."""
    place = folder / f"v-{peer.package.partition('==')[0]}"
    python = place / "bin" / "python"
    if python.exists():
        return python
    for words in (
        [sys.executable, "-m", "venv", str(place)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", peer.package],
    ):
        done = _run(words)
        if isinstance(done, str):
            return done
    return python


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


def numbers(python: Path | str, script: str, *words: str) -> dict[str, float | str]:
    """What a script prints on its last line; or its error, under `error`."""
    done = _run([str(python), str(HERE / script), *words])
    if isinstance(done, str):
        return {"error": done}
    return json.loads(done.stdout.strip().splitlines()[-1])


def exact_slide(slope_deg: float) -> float:
    """How far a rigid block slides from rest [m]: g (sin - tan(30 deg) cos) t^2 / 2, or not at all."""
    slope, friction = math.radians(slope_deg), math.tan(math.radians(CASES["friction_angle_deg"]))
    pull = CASES["gravity"] * (math.sin(slope) - friction * math.cos(slope))
    return max(0.5 * pull * CASES["threshold"]["watch_s"] ** 2, 0.0)


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _shown(found: dict[str, float | str], key: str, digits: str = ".4g") -> str:
    value = found.get(key)
    return format(value, digits) if isinstance(value, float | int) else "-"


def block_table(ours: dict[str, float | str], peers: dict[str, dict[str, float | str]]) -> str:
    """Creep and slides of the block by every program."""
    low, high = (f"{slope:g}" for slope in CASES["threshold"]["slopes_deg"])
    keys = ["creep_m", f"slid_m_{low}", f"slid_m_{high}"]
    exact = ["0", format(exact_slide(float(low)), ".4g"), format(exact_slide(float(high)), ".4g")]
    rows = [["rigid block, Coulomb", *exact]]
    for law in ("marker", "anchor"):
        rows.append([f"Planetfall, {law} law", *(_shown(ours, f"{key}.{law}") for key in keys)])
    rows += [
        [f"{found['program']} {found['version']}", *(_shown(found, key) for key in keys)]
        for found in peers.values() if "creep_m" in found
    ]  # fmt: skip
    slope, seconds, watch = CASES["creep"]["slope_deg"], CASES["creep"]["watch_s"], CASES["threshold"]["watch_s"]
    header = ["program", f"creep at {slope:g} deg in {seconds:g} s [m]"]
    header += [f"slide at {angle} deg in {watch:g} s [m]" for angle in (low, high)]
    return table(header, rows)


def ball_table(ours: dict[str, float | str], peers: dict[str, dict[str, float | str]]) -> str:
    """Bounces and rolling by every program."""
    roll = CASES["roll"]
    exact = 5.0 / 14.0 * CASES["gravity"] * math.sin(math.radians(roll["slope_deg"])) * roll["watch_s"] ** 2
    rows = [["closed form", "1", format(exact, ".4g")], ["Planetfall", _shown(ours, "bounce_ratio", ".7f"), "-"]]
    rows += [
        [f"{found['program']} {found['version']}", _shown(found, "bounce_ratio"), _shown(found, "rolled_m")]
        for found in peers.values() if "rolled_m" in found
    ]  # fmt: skip
    bounces = CASES["bounce"]["bounces"]
    return table(["program", f"height of bounce {bounces} over that of the drop", "rolled in 2 s [m]"], rows)


def page(
    ours: dict[str, float | str], gravity: dict[str, float | str], peers: dict[str, dict[str, float | str]]
) -> str:
    """The whole page."""
    said = []
    for peer in PEERS:
        found = peers.get(peer.name, {})
        state = f"failed: {found['error']}" if "error" in found else peer.note or "compared"
        said.append([peer.name, f"`{peer.package}`" if peer.package else "-", state])
    said.append(["polyhedral-gravity", "`polyhedral-gravity` (extra `bench`)", "compared"])
    said.append(["Embree, SciPy, NESC, papers", "-", "in the suite: [Verification](verification.md)"])
    basilisk = peers.get("Basilisk", {})
    fields = [
        ["our polyhedron, 5,120 facets, to our exact ellipsoid", _shown(gravity, "polyhedron", ".2g")],
        ["polyhedral-gravity, the same mesh, to our polyhedron", _shown(gravity, "polyhedral-gravity.to_ours", ".2g")],
        ["Basilisk, the same mesh, to our polyhedron", _shown(basilisk, "to_ours", ".2g")],
    ]
    text = (HERE / "page.md").read_text(encoding="utf-8")
    parts = {
        "MADE": f"{datetime.now(UTC):%Y-%m-%d}, Planetfall {ours.get('version', '?')}, "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        "PEERS": table(["program", "installed by pip", "state"], said),
        "BLOCK": block_table(ours, peers),
        "BALL": ball_table(ours, peers),
        "GRAVITY": table(["field", "largest relative difference"], fields),
    }
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def main() -> None:
    """Runs everything and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="Of the peers, run these; keep what others said.")
    options = parser.parse_args()
    options.environments.mkdir(parents=True, exist_ok=True)
    work = options.environments / "exchange"
    work.mkdir(exist_ok=True)
    ours = numbers(sys.executable, "ours.py")
    gravity = numbers(sys.executable, "gravity_ours.py", str(work))
    for name, found in (("ours.py", ours), ("gravity_ours.py", gravity)):
        if "error" in found:
            sys.exit(f"{name}: {found['error']}")
    kept = work / "results.json"
    peers: dict[str, dict[str, float | str]] = json.loads(kept.read_text()) if options.only else {}
    for peer in PEERS:
        if not peer.package or (options.only and peer.name not in options.only):
            continue
        python = environment(peer, options.environments)
        if isinstance(python, str):
            peers[peer.name] = {"error": python}
        elif peer.script:
            peers[peer.name] = numbers(python, peer.script, str(work))
        print(peer.name, peers.get(peer.name, "installed"), flush=True)
        kept.write_text(json.dumps(peers))
    PAGE.write_text(page(ours, gravity, peers), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
