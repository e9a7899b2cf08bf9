"""Tables, numbers and the figure of the page that `validate.py` writes, from what every program printed."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

Numbers = dict[str, float | str]
"""What a program printed, by name."""

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
LAWS = {
    "marker": "marker law",
    "marker_stiff": "marker law, ten times as stiff",
    "anchor": "anchor law",
    "anchor_stiff": "anchor law, ten times as stiff",
}
"""Our contact laws, as the scripts and as the page call them."""
LOW, HIGH = (f"{slope:g}" for slope in CASES["threshold"]["slopes_deg"])


def exact_slide(slope_deg: float) -> float:
    """How far a rigid block slides from rest [m]: g (sin - tan(30 deg) cos) t^2 / 2, or not at all."""
    slope, friction = math.radians(slope_deg), math.tan(math.radians(CASES["friction_angle_deg"]))
    pull = CASES["gravity"] * (math.sin(slope) - friction * math.cos(slope))
    return max(0.5 * pull * CASES["threshold"]["watch_s"] ** 2, 0.0)


def exact_roll() -> float:
    """How far a solid sphere rolls from rest without slipping [m]: 5/7 g sin t^2 / 2."""
    roll = CASES["roll"]
    return 5.0 / 14.0 * CASES["gravity"] * math.sin(math.radians(roll["slope_deg"])) * roll["watch_s"] ** 2


def exact_middle() -> float:
    """Height of the block's centre when its four corners lie on the bowl around the middle [m]."""
    half = CASES["block"]["half"]
    return half[2] + CASES["bowl"]["per_m"] * (half[0] ** 2 + half[1] ** 2)


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shown(found: Numbers, key: str, digits: str = ".4g") -> str:
    """A number as the page has it, or a dash."""
    value = found.get(key)
    return format(value, digits) if isinstance(value, float | int) else "-"


def by_program(ours: Numbers, peers: dict[str, Numbers], key: str) -> Iterator[tuple[str, float]]:
    """Name and number of all who have one under `key`, ours by law where it depends on the law."""
    for law, name in LAWS.items():
        value = ours.get(f"{key}.{law}")
        if isinstance(value, float):
            yield f"Planetfall, {name}", value
    value = ours.get(key)
    if isinstance(value, float):
        yield "Planetfall", value
    for name, found in peers.items():
        value = found.get(key)
        if isinstance(value, float):
            yield name, value


def _rows(ours: Numbers, peers: dict[str, Numbers], keys: list[str], laws: list[str]) -> list[list[str]]:
    """A row for each of our laws, and one for each program that has the first of the numbers."""
    rows = [[f"Planetfall, {LAWS[law]}", *(shown(ours, f"{key}.{law}") for key in keys)] for law in laws]
    return rows + [
        [f"{found['program']} {found['version']}", *(shown(found, key) for key in keys)]
        for found in peers.values() if keys[0] in found
    ]  # fmt: skip


def block_table(ours: Numbers, peers: dict[str, Numbers]) -> str:
    """Creep and slides of the block by every program."""
    exact = ["0", *(format(exact_slide(float(slope)), ".4g") for slope in (LOW, HIGH))]
    rows = _rows(ours, peers, ["creep_m", f"slid_m_{LOW}", f"slid_m_{HIGH}"], list(LAWS))
    slope, seconds, watch = CASES["creep"]["slope_deg"], CASES["creep"]["watch_s"], CASES["threshold"]["watch_s"]
    header = ["program", f"creep at {slope:g} deg in {seconds:g} s [m]"]
    header += [f"slide at {angle} deg in {watch:g} s [m]" for angle in (LOW, HIGH)]
    return table(header, [["rigid block, Coulomb", *exact], *rows])


def bowl_table(ours: Numbers, peers: dict[str, Numbers]) -> str:
    """The block on a height field by every program that has it."""
    rows = _rows(ours, peers, ["bowl_middle_m", "bowl_x_m", "bowl_z_m", "bowl_tilt_deg"], ["marker", "anchor"])
    header = ["program", "height in the middle [m]", "dropped aside: x [m]", "z [m]", "tilt [deg]"]
    return table(header, [["corners on the bowl", format(exact_middle(), ".4g"), "-", "-", "-"], *rows])


def ball_table(ours: Numbers, peers: dict[str, Numbers]) -> str:
    """Bounces and rolling by every program."""
    rows = [["closed form", "1", format(exact_roll(), ".4g")], ["Planetfall", shown(ours, "bounce_ratio", ".7f"), "-"]]
    rows += [
        [f"{found['program']} {found['version']}", shown(found, "bounce_ratio"), shown(found, "rolled_m")]
        for found in peers.values() if "rolled_m" in found
    ]  # fmt: skip
    bounces = CASES["bounce"]["bounces"]
    return table(["program", f"height of bounce {bounces} over that of the drop", "rolled in 2 s [m]"], rows)


def entry_table(peers: dict[str, Numbers]) -> str:
    """Flights through air beside AMAT and JSBSim."""
    amat, jsbsim = peers.get("AMAT", {}), peers.get("JSBSim", {})
    keys = ("altitude_difference_m", "speed_difference_m_s", "time_over_ours")
    rows = []
    for case, capsule in (("viking", "capsule like Viking's"), ("msl", "capsule like MSL's")):
        for variant, peer in (("amat", "AMAT as it comes"), ("amat_alike", "AMAT, linear table, no J3")):
            found = [shown(amat, f"{case}.{variant}.{key}", ".2g") for key in keys]
            rows.append([f"{capsule}, 120 to 10 km", peer, *found])
    found = [
        shown(jsbsim, f"nesc_01.{key}", ".2g")
        for key in ("altitude_difference_m", "down_difference_m_s", "time_over_ours")
    ]
    rows.append(["NESC check case 1, 30 s", "JSBSim", *found])
    return table(["flight", "peer", "altitude apart [m]", "speed apart [m/s]", "its time over ours"], rows)


def order_table(ours: Numbers, peers: dict[str, Numbers]) -> str:
    """Who is nearest to the closed form, in order, with how far off each is."""
    measures = [
        (f"creep at {CASES['creep']['slope_deg']:g} deg [m]", "creep_m", 0.0),
        (f"slide at {LOW} deg [m]", f"slid_m_{LOW}", exact_slide(float(LOW))),
        (f"slide at {HIGH} deg [m]", f"slid_m_{HIGH}", exact_slide(float(HIGH))),
        ("height in the middle of the bowl [m]", "bowl_middle_m", exact_middle()),
        (f"height of bounce {CASES['bounce']['bounces']} [1]", "bounce_ratio", 1.0),
        ("sphere that rolls [m]", "rolled_m", exact_roll()),
    ]
    rows = []
    for name, key, exact in measures:
        errors = sorted((abs(value - exact), program) for program, value in by_program(ours, peers, key))
        order = "; ".join(f"{program} {error:.1e}" for error, program in errors)
        if not any("Planetfall" in program for _, program in errors):
            order += "; Planetfall cannot"
        rows.append([name, f"{exact:.4g}", order])
    return table(["measure", "closed form", "how far off, nearest first"], rows)


def said(ours: Numbers, peers: dict[str, Numbers]) -> dict[str, str]:
    """Numbers inside the text of the page, by their names there."""
    exact = exact_slide(float(HIGH))

    def off(found: Numbers, key: str) -> str:
        value = found.get(key)
        return f"{100.0 * abs(value / exact - 1.0):.2g}" if isinstance(value, float) else "?"

    parts = {f"{law.upper()}_OFF": off(ours, f"slid_m_{HIGH}.{law}") for law in LAWS}
    parts |= {
        f"{name.upper()}_OFF": off(peers.get(name, {}), f"slid_m_{HIGH}") for name in ("MuJoCo", "Drake", "Newton")
    }
    parts["DRAKE_FINE"] = shown(peers.get("Drake", {}), "bounce_ratio_fine", ".2g")
    for law in ("anchor", "anchor_stiff"):
        value = ours.get(f"slid_m_{LOW}.{law}")
        parts[f"{law.upper()}_SLIP"] = f"{1e3 * value:.2g}" if isinstance(value, float) else "?"
    return parts


def draw_slides(ours: Numbers, peers: dict[str, Numbers], folder: Path) -> None:
    """How far every program's block creeps where it should rest, and how wrong its slide is, as a figure."""
    from planetfall.report.style import COLORS, new_panels, save_figure

    exact = exact_slide(float(HIGH))
    creep = {name: max(1e3 * abs(value), 1e-10) for name, value in by_program(ours, peers, "creep_m")}
    wrong = {name: 100.0 * abs(value / exact - 1.0) for name, value in by_program(ours, peers, f"slid_m_{HIGH}")}
    figure, (left, right) = new_panels(2, height=2.8)
    figure.subplots_adjust(left=0.26)
    for axes, values, label in (
        (left, creep, "creep at 20 deg in 10 s [mm]"),
        (right, wrong, "slide at 31 deg wrong by [%]"),
    ):
        axes.barh(list(values), list(values.values()), color=[COLORS[0 if "Planetfall" in n else 7] for n in values])
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.invert_yaxis()
    right.tick_params(labelleft=False)
    save_figure(figure, folder, "validation-block").unlink()  # the page has the drawing alone
