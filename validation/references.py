"""References, papers, rays and oracles beside ours, by the code that the tests use: prints a part of the page.

    python validation/references.py NAME

NAME: one of NESC, Mars, papers, Embree, SciPy. What needs files of shared data says so where they are not.
"""

import csv
import sys
from importlib.metadata import version
from pathlib import Path

from tables import table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import planetfall
from support import embree_rays, mars_entries, mesh_queries, nesc, paper_numbers, planar_comparison
from support.morpheus import Pushed
from support.shared_data import DATA

ABSENT = "Not made in this call: `{}` is not among the files that the tests find in `PLANETFALL_SHARED_DATA`."


def nesc_part() -> str:
    """Check cases beside simulation 04, and how far NASA's simulations 04, 05 and 06 are apart."""
    missing = [nesc.data_file(case).name for case in nesc.CASES if not nesc.data_file(case).exists()]
    if missing:
        return ABSENT.format(missing[0])
    keys = ["altitude_m", "velocity_m_s", "rate_deg_s", "attitude_deg"]
    rows = [["allowed in the tests", "", *(f"{nesc.BARS[key]:.0e}" for key in keys)]]
    for case in nesc.CASES:
        expected = nesc.reference(case)
        title = planetfall.load(f"nesc-{case}").scenario.title.partition(": ")[2]
        for method, name in (("rk4", "fixed steps"), ("adaptive", "error control")):
            found = nesc.differences(nesc.flown(case, method), expected)
            rows.append([f"{int(case)}: {title}", f"ours, {name}", *(f"{found[key]:.1e}" for key in keys)])
        rows.append([f"{int(case)}", "NASA's simulations 04, 05, 06", *(f"{spread:.1e}" for spread in _spreads(case))])
    return table(["case", "whose", "altitude [m]", "velocity [m/s]", "rates [deg/s]", "attitude [deg]"], rows)


def _spreads(case: str) -> list[float]:
    """Largest differences among NASA's simulations 04, 05 and 06 in altitude, velocity, rates and angles."""
    with nesc.data_file(case).with_name(f"case_{case}_spread.csv").open(newline="") as opened:
        core = {row["quantity"]: float(row["core_spread_04_05_06"] or "nan") for row in csv.DictReader(opened)}
    groups = (
        ["alt_m"],
        [f"v{k}_m_s" for k in "ned"],
        [f"{k}_deg_s" for k in "pqr"],
        ["yaw_deg", "pitch_deg", "roll_deg"],
    )
    return [max(core[name] for name in group) for group in groups]


def mars_part() -> str:
    """Point-mass entries at Mars beside a reference that was solved twice at 1e-12."""
    if not mars_entries.FOLDER.exists():
        return ABSENT.format("mars_entry")
    keys = list(mars_entries.BARS)
    rows = [["allowed in the tests", *(f"{bar:.0e}" for bar in mars_entries.BARS.values())]]
    for name in mars_entries.NAMES:
        found = mars_entries.differences(mars_entries.flown(name), mars_entries.reference(name))
        rows.append([f"`{name}`", *(f"{found[key]:.1e}" for key in keys)])
    return table(["entry", "time to 10 km [s]", "speed there [m/s]", "angles there [deg]", "peaks, relative"], rows)


def papers_part() -> str:
    """Printed numbers, ours, and the band that the tests ask for."""
    cases = {
        "msl-drop": ("Raiszadeh2012", paper_numbers.msl_drop),
        "msl-skycrane": ("Raiszadeh2012", paper_numbers.sky_crane),
        "morpheus-static-kinetic": ("Cordova2014", lambda run: paper_numbers.morpheus(Pushed(run))),
        "msl-edl": ("flown in 2012", paper_numbers.msl_edl),
        "insight-edl": ("flown in 2018", paper_numbers.insight_edl),
    }
    rows = [
        [f"`{name}`", source, f"{found.what} [{found.unit}]", found.printed, f"{found.ours:.5g}",
         f"{found.low:.5g} to {found.high:.5g}" + ("" if found.is_met else ", missed")]
        for name, (source, numbers) in cases.items()
        for found in numbers(planetfall.run(planetfall.load(name)))
    ]  # fmt: skip
    return table(["scenario", "source", "number", "printed", "ours", "band in the tests"], rows)


def embree_part() -> str:
    """Rays onto meshes that met another facet than Embree's."""
    rows = []
    for name, what in (
        ("convex", "ball of 320 facets"),
        ("concave", "burr of 320 facets"),
        ("Curiosity site", "Curiosity's landing site"),
    ):
        file = mesh_queries.LARGE.get(name)
        if file and not (DATA / file).exists():
            rows.append([what, ABSENT.format(Path(file).name), "", "", ""])
            continue
        found, facets = embree_rays.count_rays(name), len(mesh_queries.mesh_of(name).facets)
        numbers = (found.cast, found.cast - found.met, found.other_facet, found.apart)
        rows.append([f"{what} ({facets:,})" if file else what, *(f"{number:,}" for number in numbers)])
    header = ["mesh", "rays", "met it in one of both", "met another facet", "range apart by more than float32 explains"]
    return table(header, rows)


def scipy_part() -> str:
    """The drop of a rover in the plane by DOP853, for each reading that the paper leaves open."""
    bars = planar_comparison.BARS
    rows = [["allowed in the tests", "", *(f"{bar:.2g}" for bar in bars.values())]]
    for name in planar_comparison.CASES:
        found = planar_comparison.differences(name)
        ending = "overturns" if name in planar_comparison.OVERTURNING else "settles"
        rows.append(
            [f"{name}: {ending}", f"{found['touches']:.0f}", *(f"{found[k]:.1e}" if k in found else "-" for k in bars)]
        )
    header = ["reading", "touches", "touches [s]", "lift-offs [s]", "peak forces, relative", "slides, relative"]
    return table([*header, "loads at rest, relative"], rows)


PARTS = {"NESC": nesc_part, "Mars": mars_part, "papers": papers_part, "Embree": embree_part, "SciPy": scipy_part}


def programs() -> str:
    """Programs of the development environment that are compared with, and their versions."""
    rows = [
        ["polyhedral-gravity", f"`polyhedral-gravity=={version('polyhedral-gravity')}`", "gravity near a small body"],
        ["Embree", f"`embreex=={version('embreex')}`", "rays onto meshes"],
        ["SciPy", f"`scipy=={version('scipy')}`", "a rover's drop in the plane, by DOP853"],
    ]
    return table(["program", "in the development environment", "compared in"], rows)


if __name__ == "__main__":
    print(programs() if sys.argv[1] == "programs" else PARTS[sys.argv[1]]())
