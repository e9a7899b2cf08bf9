"""One run on one page: HTML that needs nothing but itself, with the replay inside."""

import html
import shlex
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planetfall.analysis.accuracy.checked import Checked
from planetfall.analysis.run.validity import turned_over, validity_notes
from planetfall.record.labels import VERDICTS, label_of, limit_text, unit_text, words_and_unit
from planetfall.record.trajectory import Trajectory
from planetfall.report.page.embedded import POLICY, held_viewer, place_for_viewer
from planetfall.report.page.embedded import STYLE as VIEWER_STYLE
from planetfall.report.page.figure_element import DARK, figure_element
from planetfall.report.page.html_tables import NARROW, VIEWPORT, scrolled
from planetfall.report.page.print_style import PRINT
from planetfall.report.result_figures import draw_result
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.files.rows import scenario_rows
from planetfall.viewer.scene.scene import scene_of

MOST_EVENTS = 200
UNSET = ("not given", "[]", "")
"""Values of keys that say nothing; paper has no room for them."""
ELSEWHERE = ("schema", "scenario", "outcome", "outcome_sentence", "device", "method")
"""Names of a summary that its table leaves out."""
OF_CONTACT = (
    "rest_s", "touchdown_s", "touchdown_vertical_m_s", "touchdown_horizontal_m_s", "stop_s", "slide_distance_m",
    "slide_after_last_bounce_m", "slide_along", "max_penetration_m", "stiffness_N_m", "damping_N_s_m",
    "friction_breakaway", "friction_sliding",
)  # fmt: skip
"""Names of a summary that say nothing of what has no contact points."""
EVENT_UNITS = {
    **dict.fromkeys(("touch", "lift_off", "slow", "fast", "escape", "crash", "descended", "skip_out"), "m/s"),
    **dict.fromkeys(("rest", "overturn", "off_map", "hole", "sunk", "diverged", "time_out", "step_refused"), "s"),
    **dict.fromkeys(("landed", "controller_error", "recontact"), "s"),
    "loosened": "",
    "began_in_ground": "m",
    **dict.fromkeys(("saturates", "slides aside", "slides", "lifts", "tips", "no pose", "stands", "changed"), "m"),
}
"""Units of the values of events by kind, as `docs/reference/results.md` has them; others have none."""
STYLE = """
:root { color: #1d2329; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } .quiet { color: #5b6570; } .outcome { border-left: 5px solid #0072B2; padding: .2rem .8rem; }
.warning { border: 2px solid #D55E00; padding: .4rem .8rem; font-weight: 600; }
table { border-collapse: collapse; margin: .6rem 0 1.4rem; font-variant-numeric: tabular-nums; }
th, td { padding: .12rem 1.2rem .12rem 0; text-align: left; vertical-align: top; } thead th { border-bottom: 1px solid #889; }
td.number { text-align: right; } td.value { max-width: 22rem; overflow-wrap: anywhere; } td.key { font-family: ui-monospace, monospace; font-size: 13px; }
figure { margin: 1.2rem 0; break-inside: avoid; } figure img { max-width: 100%; }
code { background: #f1f3f5; padding: .1rem .35rem; overflow-wrap: anywhere; }
details summary { cursor: pointer; font-weight: 600; }
table.inputs { table-layout: fixed; width: 100%; } table.inputs td { overflow-wrap: anywhere; }
table.inputs th:nth-child(1) { width: 31%; } table.inputs th:nth-child(2) { width: 24%; }
table.inputs th:nth-child(3) { width: 8%; }
"""  # noqa: E501


def run_page(trajectory: Trajectory[Any], folder: str | None = None) -> str:
    """The page of a run that lies in `folder`, or was not saved."""
    scenario, summary = trajectory.scenario, trajectory.summary
    checked = Checked(summary, getattr(scenario.scenario, "duration", None))
    parts = [
        f"<h1>{_text(scenario.name)}</h1><p class=quiet>{_text(full_title(scenario))}</p>",
        _warning(checked),
        f"<p class=outcome><strong>{_text(summary['outcome'])}</strong>: {_text(summary['outcome_sentence'])}</p>",
        place_for_viewer("Replay this run here", "The page that this was printed from replays the run."),
        "<h2>Summary</h2>", _summary(trajectory, checked), _bodies(summary, checked), _points(summary, checked),
        _kept(summary.get("limits", {})),
        "<h2>Numerical error</h2>", _numerical_error(checked),
        "<h2>Limits</h2>", _notes(validity_notes(scenario, trajectory.data, summary)),
        "<h2>Energy</h2>", _energy(trajectory),
        "<h2>Figures</h2>", *_figures(trajectory),
        "<h2>Events</h2>", _events(trajectory, checked),
        "<h2>Inputs</h2>", _inputs(scenario),
        "<h2>Repeat it</h2>", _again(trajectory, folder), _versions(summary),
    ]  # fmt: skip
    style = f"<style>{STYLE}{VIEWER_STYLE}{PRINT}{NARROW}{DARK}</style>"
    head = f'<meta charset="utf-8">{VIEWPORT}{POLICY}<title>{_text(scenario.name)} - report</title>{style}'
    parts.append(held_viewer(scene_of(trajectory)))
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'


def _again(trajectory: Trajectory[Any], folder: str | None) -> str:
    """The command that makes the run again."""
    if folder is None:
        return "<p>This page was made from a run that is not saved; <code>trajectory.save(folder)</code> keeps it.</p>"
    is_drive = hasattr(trajectory.scenario, "rover")
    again = f"planetfall {'rover drive' if is_drive else 'run'} {shlex.quote(f'{folder}/scenario.toml')}"
    if trajectory.summary.get("changes") and not is_drive:  # a drive has its changes in the scenario
        again += f" --changes {shlex.quote(folder)}"
    return f"<p><code>{_text(again)}</code></p>"


def _kept(limits: dict[str, Any]) -> str:
    """Whether the run kept to the limits of its scenario, where it has some."""
    if not limits:
        return ""
    rows = [(name, VERDICTS[limit["kept"]], limit_text(limit)) for name, limit in limits.items()]
    return "<h2>Limits of the scenario</h2>" + _table(("limit", "", "value, allowed"), rows, ("", "", ""))


def _warning(checked: Checked) -> str:
    """Before anything else: a finer run ended otherwise."""
    return "" if checked.other_outcome is None else f"<p class=warning>{_text(checked.sentences[0])}</p>"


def _summary(trajectory: Trajectory[Any], checked: Checked) -> str:
    rows, summary = [], trajectory.summary
    left_out = ELSEWHERE if trajectory.data.sizes.get("point") else (*ELSEWHERE, *OF_CONTACT)
    told = {f"{place}.{name}": value for place in summary if _is_told(place) for name, value in summary[place].items()}
    for name, value in (summary | told).items():
        if isinstance(value, list | dict) or name in left_out:
            continue
        label, unit = words_and_unit(name)
        rows.append((label, checked.text(name, value), unit_text(unit)))
    return _table(("", "value", "unit"), rows, ("", "number", ""))


def _is_told(place: str) -> bool:
    """Whether a table of the summary is one of numbers that mechanisms tell."""
    return place.partition(".")[0] in ("parachute", "separations")


def _numerical_error(checked: Checked) -> str:
    """What a finer run says of the digits."""
    if not checked.check:
        words = (
            "The run was not checked: computed numbers have three digits, and how many of them are true is not known."
        )
        return f"<p>{words} <code>planetfall run --check</code> gives each number with its numerical error.</p>"
    intro = (
        f"<p>± is the difference to the same run at {_text(checked.check['by'])}; ? marks numbers of which no digit is "
        "true. Events have the digits that are true of all of their kind.</p>"
    )
    return (intro if checked.is_checked else "") + _notes(checked.sentences)


def _bodies(summary: dict[str, Any], checked: Checked) -> str:
    """Each vehicle with its own figures, where there are several: those that the run is judged by first."""
    bodies = summary.get("bodies") or []
    if not bodies:
        return ""
    names = [name for name in bodies[0] if name not in ("name", "role")]
    header = ("vehicle", "", *map(label_of, names))
    rows = [
        (body["name"], body["role"], *(checked.text(f"bodies.{i}.{name}", body[name]) for name in names))
        for i, body in enumerate(bodies)
    ]
    return _table(header, rows, ("", "", *["number"] * len(names)))


def _points(summary: dict[str, Any], checked: Checked) -> str:
    """What each contact point felt, where the summary has lists by point."""
    points = summary.get("points") or []
    columns = {n: v for n, v in summary.items() if isinstance(v, list) and len(v) == len(points) and n != "points"}
    columns = {n: v for n, v in columns.items() if not any(isinstance(item, dict) for item in v)}
    if not points or not columns:
        return ""
    header = ("point", *map(label_of, columns))
    rows = [
        (point, *(checked.text(name, values[i], i) for name, values in columns.items()))
        for i, point in enumerate(points)
    ]
    return _table(header, rows, ("", *["number"] * len(columns)))  # fmt: skip


def _notes(notes: list[str]) -> str:
    if not notes:
        return "<p>None of the checked limits (outcome, energy, depth, creep, step) was close.</p>"
    return "<ul>" + "".join(f"<li>{_text(note)}</li>" for note in notes) + "</ul>"


def _energy(trajectory: Trajectory[Any]) -> str:
    closure, turned = trajectory.summary.get("energy_closure_J"), turned_over(trajectory.data)
    if closure is None:
        return "<p>This kind of run keeps no account of energy.</p>"
    share = f", {closure / turned:.2g} of the {turned:.4g} J that were turned over" if turned > 0 else ""
    rise, bound = trajectory.summary.get("energy_rise_J"), trajectory.summary.get("energy_rise_bound_J")
    told = "" if rise is None or bound is None else _rise(rise, bound)
    return f"<p>Energy less all recorded work stays the same to within {closure:.3g} J{share}.{told}</p>"


def _rise(rise: float, bound: float) -> str:
    place = "within" if rise <= bound else "beyond"
    return f" It rose by {rise:.3g} J at most, {place} the {bound:.3g} J that errors of the integration explain."


def _figures(trajectory: Trajectory[Any]) -> Iterable[str]:
    with TemporaryDirectory() as folder:
        for path in draw_result(trajectory, Path(folder)):
            yield figure_element(path, path.stem.replace("_", " "))


def _events(trajectory: Trajectory[Any], checked: Checked) -> str:
    names = [str(name) for name in trajectory.data.point.values]
    shown = trajectory.events[:MOST_EVENTS]
    points = [names[event.point] if 0 <= event.point < len(names) else "" for event in shown]
    rows = [
        (
            checked.event_text(event.kind, event.time, "time_difference_s"),
            event.kind.replace("_", " "),
            point,
            checked.event_text(event.kind, event.value, "value_difference"),
            EVENT_UNITS.get(event.kind, ""),
        )
        for event, point in zip(shown, points, strict=True)
    ]
    more = len(trajectory.events) - len(rows)
    rest = f"<p>{more} more in events.csv.</p>" if more > 0 else ""
    return _table(("time [s]", "what", "point", "value", "unit"), rows, ("number", "", "", "number", "")) + rest


def _inputs(scenario: Any) -> str:
    """All keys with units and meaning; where numbers come from is among them, as `source`."""
    rows = list(scenario_rows(scenario))
    kinds = ["unset" if row.value in UNSET else "" for row in rows]
    table = _table(("key", "value", "unit", "meaning"), rows, ("key", "value", "", ""), "inputs", kinds)
    n_unset = kinds.count("unset")
    note = f"<p class=paper>{len(rows) - n_unset} keys; {n_unset} that are not given are left out.</p>"
    return f"{note}<details open><summary class=screen>{len(rows)} keys</summary>{table}</details>"


def _versions(summary: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in summary.get("versions", {}).items())
    return f"<p>{_text(versions)}; device {_text(str(summary.get('device', '')))}.</p>"


def _table(
    header: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    classes: tuple[str, ...],
    name: str = "",
    kinds: Iterable[str] = (),
) -> str:
    """A table; `classes` are those of its columns, `kinds` those of its rows."""

    def cell(text: str, kind: str) -> str:
        return f'<td class="{kind}">{_text(text)}</td>' if kind else f"<td>{_text(text)}</td>"

    head = "".join(f"<th>{_text(name)}</th>" for name in header)
    body = "".join(
        f'<tr class="{kind}">' + "".join(map(cell, row, classes)) + "</tr>"
        for row, kind in zip_longest(rows, kinds, fillvalue="")
    )
    return scrolled(f'<table class="{name}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


def _text(text: str) -> str:
    return html.escape(str(text))
