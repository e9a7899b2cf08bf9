"""Parts of one's own, from files of one's own: examples end to end, and what goes wrong, one sentence each."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.campaign.workers.shard_run import workshop
from support.command import planetfall as command

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"


@pytest.fixture(scope="module")
def sand() -> planetfall.Scenario:
    return planetfall.load(EXAMPLES / "soft-sand.toml")


@pytest.fixture(scope="module")
def on_sand(sand: planetfall.Scenario) -> planetfall.Trajectory:
    return planetfall.run(sand)


def test_a_law_of_ones_own_carries_the_weight(sand: planetfall.Scenario) -> None:
    """At rest each of four points is sqrt(W/(4 K)) deep: what starts there stays, to a hundred tolerances."""
    weight, stiffness = sand.vehicle.mass * 3.7132, 2e6
    depth = np.sqrt(weight / (4 * stiffness))
    lowest = -min(point.position[2] for point in sand.vehicle.points)
    run = planetfall.run(sand.with_values({"initial": {"position": [0.0, 0.0, lowest - depth]}}))
    assert run.data.contact_gap.values == pytest.approx(-depth, rel=1e-6)
    assert run.summary["final_normal_force_N"] == pytest.approx([weight / 4] * 4, rel=2e-6)


def test_its_account_closes(on_sand: planetfall.Trajectory) -> None:
    """Within a thousand tolerances of the energy of the fall: the ground's clamp is a kink that no event locates."""
    assert on_sand.summary["energy_closure_J"] < 1e-5 * on_sand.summary["energy_start_J"]
    assert on_sand.summary["coefficients"] == ["stiffness_N_m2", "dissipation_s_m"]


def test_a_saved_run_says_which_part_it_needs(on_sand: planetfall.Trajectory, tmp_path: Path) -> None:
    on_sand.save(tmp_path / "run")
    again = planetfall.open(tmp_path / "run")
    assert again.scenario == on_sand.scenario
    assert [Path(name).name for name in again.scenario.plugins or ()] == ["soft_sand.py"]
    saved = tmp_path / "run" / "scenario.toml"
    saved.write_text(re.sub(r'"[^"]*soft_sand\.py"', '"gone_sand.py"', saved.read_text()))
    with pytest.raises(planetfall.InputError, match=r"plugins: .*gone_sand\.py cannot be imported .*no file"):
        planetfall.load(saved)


def test_a_law_that_the_program_has_imported_by_itself_is_the_same_law(tmp_path: Path) -> None:
    """As when its coefficients are tested beside a run: the scenario takes the module that is there."""
    (tmp_path / "soft_sand.py").write_text((EXAMPLES / "soft_sand.py").read_text())
    (tmp_path / "soft-sand.toml").write_text((EXAMPLES / "soft-sand.toml").read_text())
    before = "import soft_sand, planetfall; law = planetfall.load('soft-sand.toml').contact"
    after = "import planetfall; law = planetfall.load('soft-sand.toml').contact; import soft_sand"
    for code in (before, after):
        code += "; print(type(law) is soft_sand.SoftSandKeys)"
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.stdout.strip() == "True", done.stderr


def test_the_command_line_knows_it(tmp_path: Path) -> None:
    """In a process that has never heard of it; also `--set`, and an error with the nearest key."""
    shown = command("show", str(EXAMPLES / "soft-sand.toml"), "--set", "contact.friction=0.7", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "stiffness K [N/m^2] per point = 2000000" in shown.stdout
    assert "friction [-] = 0.7" in shown.stdout
    wrong = command("show", str(EXAMPLES / "soft-sand.toml"), "--set", "contact.stifness=1", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "contact.stifness: unknown key; did you mean contact.stiffness?" in " ".join(wrong.stderr.split())
    other = command("show", "msl-drop", "--set", "contact.law=soft-sand", cwd=tmp_path)
    said = " ".join(other.stderr.split())
    assert "to use a part of your own, name its module in plugins, where it has to call register" in said


def test_a_campaign_disperses_its_keys_and_rows_are_single_runs(sand: planetfall.Scenario, tmp_path: Path) -> None:
    spread = {"contact.stiffness": {"distribution": "uniform", "low": 1e6, "high": 3e6}}
    dispersed = sand.with_values({"dispersions": spread, "scenario.duration": 0.7})
    rows = planetfall.montecarlo(dispersed, 3, seed=5, out=tmp_path / "c").data
    for i in range(3):
        value = float(rows["in.contact.stiffness"].values[i])
        single = planetfall.run(dispersed.with_values({"contact.stiffness": value, "dispersions": {}}))
        assert rows.peak_force_N.values[i] == max(single.summary["peak_normal_force_N"])


def test_a_force_of_ones_own_slows_a_ball() -> None:
    """v = v0 exp(-c t/m) and omega = omega0 exp(-e t/I); its work is what the ball has lost, to some tolerances."""
    scenario = planetfall.load(EXAMPLES / "linear-drag.toml")
    data = planetfall.run(scenario).data
    assert data.velocity.values[:, 0, 0] == pytest.approx(3.0 * np.exp(-1.5 / 2.0 * data.time.values), rel=1e-8)
    assert data.angular_velocity.values[:, 0, 2] == pytest.approx(2.0 * np.exp(-2.0 * data.time.values), rel=1e-6)
    lost = data.energy_kinetic.values - data.energy_kinetic.values[0]
    assert data.work_external.values == pytest.approx(lost, abs=1e-8)


def test_a_mechanism_of_ones_own_has_states_variables_and_an_account(tmp_path: Path) -> None:
    """F = F0 exp(-t/tau) of each leak: v = F0 tau/m (1 - exp(-t/tau)), omega = r F0 tau/I (...), and work is energy.

    A hundred tolerances of 1e-10; saved and opened it is the same, and rows of a campaign that disperses a state's
    start are single runs.
    """
    scenario = planetfall.load(EXAMPLES / "leaking-tank.toml")
    run = planetfall.run(scenario)
    data, t = run.data, run.data.time.values
    first, second = 1.0 - np.exp(-t / 0.5), 1.0 - np.exp(-t / 2.0)
    assert data.velocity.values[:, 0, 2] == pytest.approx(2.0 * 0.5 / 2.0 * first, abs=1e-8)
    assert data.angular_velocity.values[:, 0, 2] == pytest.approx(0.1 * 0.1 * 2.0 / 0.01 * second, abs=1e-8)
    assert data.leak_thrust.values[:, 0] == pytest.approx(2.0 * (1.0 - first) + 0.1 * (1.0 - second), abs=1e-8)
    assert data.work_leak.values == pytest.approx(data.energy_kinetic.values, abs=1e-8)
    run.save(tmp_path / "run")
    assert np.array_equal(planetfall.open(tmp_path / "run").data.leak_thrust.values, data.leak_thrust.values)
    spread = {"forces.0.thrust": {"distribution": "uniform", "low": 1.0, "high": 3.0}}
    rows = planetfall.montecarlo(scenario.with_values({"dispersions": spread}), 2, seed=5, out=tmp_path / "c").data
    for value, speed in zip(rows["in.forces.0.thrust"].values, rows.speed_m_s.values, strict=True):
        alone = planetfall.run(scenario.with_values({"forces.0.thrust": float(value)}))
        assert speed == pytest.approx(np.linalg.norm(alone.data.velocity.values[-1, 0]), rel=1e-15)  # its last bit


def plugin(folder: Path, stem: str, text: str) -> planetfall.Scenario:
    """The scenario of soft sand with a plug-in of this text beside it."""
    (folder / f"{stem}.py").write_text(textwrap.dedent(text))
    scene = (EXAMPLES / "soft-sand.toml").read_text()
    scene = scene.replace('"soft_sand.py"', f'"{EXAMPLES / "soft_sand.py"}", "{stem}.py"')
    (folder / f"{stem}.toml").write_text(scene)
    return planetfall.load(folder / f"{stem}.toml")


HEAD = """
    from dataclasses import replace
    import sys
    from typing import Any, Literal
    import warp as wp
    from planetfall.plugins import *
    law = sys.modules["planetfall_plugin_soft_sand"]
"""
BAD: dict[str, tuple[str, str]] = {
    "raises": ("raise RuntimeError('no licence')", r"raises\.py cannot be imported \(RuntimeError: no licence\)"),
    "no_part": (HEAD + "    register('sand')", r"no_part\.py cannot be imported|'sand' is not a part of a simulation"),
    "misses": (
        HEAD + "    register(replace(law.SOFT_SAND, coefficients=None))",
        r"contact law 'soft-sand': lacks the function coefficients",
    ),
    "twice": (
        HEAD
        + """
    class Other(law.SoftSandKeys):
        law: Literal["soft-sand"] = choice("the same name")
    register(replace(law.SOFT_SAND, table=Other))""",
        r"plug-in 'soft-sand' for contact: the name is taken",
    ),
    "taken": (
        HEAD
        + """
    class Other(Table):
        law: Literal["marker"] = choice("a built-in name")
        sink: float = 1.0
        stop_speed: float = 1.0
        needs_gravity: bool = False
    register(replace(law.SOFT_SAND, name="marker", table=Other, live_keys=()))""",
        r"plug-in 'marker' for contact: the name is taken",
    ),
    "no_selector": (
        HEAD
        + """
    class Keys(Table):
        body: str | None = None
    register(ForceModel("nothing", Keys, Keys, lambda keys: {}, None))""",
        r"plug-in 'nothing' for forces: the first key of its table Keys does not select it; expected kind: Literal",
    ),
    "no_func": (
        HEAD
        + """
    class Keys(Table):
        kind: Literal["plain"] = choice("name")
        body: str | None = None
    register(ForceModel("plain", Keys, Keys, lambda keys: {}, lambda p, t, state, environment: 0))""",
        r"force 'plain': its function wrench is not a @wp.func",
    ),
}


@pytest.mark.parametrize("stem", BAD)
def test_a_bad_plug_in_is_one_sentence(stem: str, sand: planetfall.Scenario, tmp_path: Path) -> None:
    text, sentence = BAD[stem]
    with pytest.raises(planetfall.InputError, match=sentence) as caught:
        plugin(tmp_path, stem, text)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (["no_such_module"], r"plugins: no_such_module cannot be imported \(ModuleNotFoundError.*install it"),
        ("soft_sand.py", r"plugins: 'soft_sand\.py' in .*; expected a list of names"),
    ],
)
def test_plug_ins_that_are_not_there(named: Any, sentence: str) -> None:
    with pytest.raises(planetfall.InputError, match=sentence):
        planetfall.load("msl-drop").with_values({"plugins": named})


def test_a_force_that_gives_no_number_ends_the_run_and_is_named(tmp_path: Path) -> None:
    """The histories until then are kept, and the summary names the parts to look at."""
    source = (EXAMPLES / "linear_drag.py").read_text().replace("linear-drag", "broken-drag")
    source = source.replace("state.velocity * -p.coefficient", "state.velocity / (p.coefficient - p.coefficient)")
    (tmp_path / "broken_drag.py").write_text(source)
    scene = (EXAMPLES / "linear-drag.toml").read_text().replace("linear-drag", "broken-drag")
    (tmp_path / "scene.toml").write_text(scene.replace("linear_drag.py", "broken_drag.py"))
    run = planetfall.run(planetfall.load(tmp_path / "scene.toml"))
    assert run.summary["outcome"] == "step_refused"
    assert any("broken_drag.py" in sentence for sentence in run.summary["problems"])


HOOKS: dict[str, tuple[str, str, str, str]] = {
    "law": ("soft_sand", "soft-sand", "def coefficients(keys: SoftSandKeys, body: BodyOnGround) -> SoftSand:", "RAISE"),
    "force": ("linear_drag", "linear-drag", "def fill(keys: LinearDragKeys) -> dict[str, Any]:", "RAISE"),
    "mechanism": ("leaking_tank", "leaking-tank", "def fill(scenario: Scenario, start: Any) -> Draft:", "RAISE"),
    "sensor": ("tilt_meter", "own-world", "def read(terrain: Any, gravity: Any) -> Any:", "RAISE"),
    "detector": (
        "upright",
        "own-world",
        "def fill(scenario: Scenario, channels: dict[str, int]) -> dict[str, Any]:",
        "RAISE",
    ),
    "gravity": ("two_lobes", "own-world", "def fill(scenario: Scenario) -> dict[str, Any]:", "RAISE"),
    "ground": ("round_boulder", "own-world", "def fill(keys: RoundBoulderKeys) -> dict[str, Any]:", "RAISE"),
    "field_func": ("two_lobes", "own-world", "    distance = wp.length(r)", "    distance = wp.length(r, r)"),
    "ground_func": ("round_boulder", "own-world", "    out.gap = distance - p.radius", "    out.gap = p.nothing"),
}
"""By kind: a plug-in of the examples, its scenario, and a line that is followed by an exception, or replaced."""


def spoiled(kind: str, folder: Path, word: str = "spoiled") -> Path:
    """The scenario of an example with another copy of its plug-in, under another name, one line of which is wrong."""
    stem, scene, line, wrong = HOOKS[kind]
    source = (EXAMPLES / f"{stem}.py").read_text()
    name = re.search(r'Literal\["([^"]+)"\]', source)[1]
    assert source.count(line) == 1
    raising = f'{line}\n    raise ZeroDivisionError("no licence")'
    source = source.replace(line, raising if wrong == "RAISE" else wrong).replace(f'"{name}"', f'"{word}-{kind}"')
    (folder / f"{word}_{kind}.py").write_text(source)
    text = (EXAMPLES / f"{scene}.toml").read_text().replace(f'"{name}"', f'"{word}-{kind}"')
    text = text.replace(f'"{stem}.py"', f'"{word}_{kind}.py"')
    text = re.sub(rf'"((?!{word})\w+\.py)"', rf'"{EXAMPLES.as_posix()}/\1"', text)
    (folder / "scene.toml").write_text(text)
    return folder / "scene.toml"


@pytest.mark.parametrize("kind", HOOKS)
def test_a_part_that_raises_or_does_not_compile_is_one_sentence(kind: str, tmp_path: Path) -> None:
    """With the file, the line, and what was raised; not a traceback of ours."""
    scenario = planetfall.load(spoiled(kind, tmp_path))
    fault = r"in \w+: ZeroDivisionError: no licence" if HOOKS[kind][3] == "RAISE" else "does not compile: .*"
    sentence = rf"plugins: .*spoiled_{kind}\.py, line \d+,? {fault}; mend the plug-in"
    with pytest.raises(planetfall.InputError, match=sentence) as caught:
        planetfall.run(scenario)
    assert len(str(caught.value).splitlines()) == 1
    assert caught.value.__cause__ is not None


def test_a_part_that_raises_in_a_campaign_or_at_the_command_line(tmp_path: Path) -> None:
    scene = spoiled("force", tmp_path, "raising")
    spread = {"vehicle.mass": {"distribution": "uniform", "low": 1.0, "high": 3.0}}
    with pytest.raises(planetfall.InputError, match=r"in fill: ZeroDivisionError: no licence"):
        planetfall.montecarlo(planetfall.load(scene).with_values({"dispersions": spread}), 2)
    said = command("run", str(scene), "--no-figures", cwd=tmp_path)
    assert said.returncode == 2
    assert "in fill: ZeroDivisionError: no licence; mend the plug-in" in " ".join(said.stderr.split())
    assert "Traceback" not in said.stderr


def test_faults_that_are_not_the_plug_ins_stay_what_they_are() -> None:
    from planetfall.scenario.files.plugins import plugin_faults

    with pytest.raises(ZeroDivisionError), plugin_faults():
        raise ZeroDivisionError("of somebody else")


def test_a_plug_in_that_changes_is_noticed_between_shards(tmp_path: Path) -> None:
    """A worker that has the earlier text says so, and a campaign is not gone on with by another one."""
    from planetfall.campaign.plan import check_files, make_plan, read_plan
    from planetfall.campaign.workers.shard_run import work_of

    source = (EXAMPLES / "linear_drag.py").read_text().replace("linear-drag", "changing-drag")
    (tmp_path / "changing_drag.py").write_text(source)
    scene = (EXAMPLES / "linear-drag.toml").read_text().replace("linear-drag", "changing-drag")
    (tmp_path / "scene.toml").write_text(scene.replace("linear_drag.py", "changing_drag.py"))
    scenario = planetfall.load(tmp_path / "scene.toml").with_values(
        {
            "scenario.duration": 0.1,
            "dispersions": {"forces.0.coefficient": {"distribution": "uniform", "low": 1.0, "high": 2.0}},
        }
    )
    planetfall.montecarlo(scenario, 2, out=tmp_path / "c")
    plan = read_plan(tmp_path / "c")
    assert any(path.endswith("changing_drag.py") for path in plan.files or {})
    (tmp_path / "changing_drag.py").write_text(source + "\n# another text\n")
    with pytest.raises(planetfall.InputError, match=r"changing_drag\.py: has been changed since the campaign began"):
        check_files(plan)
    with pytest.raises(planetfall.InputError, match=r"changing_drag\.py was changed since it was imported"):
        workshop(work_of(make_plan(scenario, 2, 0, "random", None, "cpu", ""), "cpu"))


WORKER = """
import pickle, sys
from pathlib import Path
from planetfall.campaign.workers.shard_run import run_shard
from planetfall.errors import InputError
from planetfall.scenario.files.plugins import take_sent

for file in sys.argv[1:]:
    work, shard = pickle.loads(Path(file).read_bytes())
    take_sent(work.plugins)
    try:
        print(run_shard(work, shard).column("distance_m").to_pylist())
    except InputError as error:
        print(error)
"""


@pytest.mark.parametrize("there", ["nothing", "another text"])
def test_a_worker_is_sent_the_text_of_a_plug_in(there: str, tmp_path: Path) -> None:
    """Whatever it has under the path of the file. A second text cannot take the place of the first, and it says so."""
    source = (EXAMPLES / "linear_drag.py").read_text().replace("linear-drag", "sent-drag")
    scene = (EXAMPLES / "linear-drag.toml").read_text().replace("linear-drag", "sent-drag")
    (tmp_path / "scene.toml").write_text(scene.replace("linear_drag.py", "sent_drag.py"))
    dispersed = {"forces.0.coefficient": {"distribution": "uniform", "low": 1.0, "high": 2.0}}
    program = textwrap.dedent(f"""
        import pickle, sys
        from pathlib import Path
        import planetfall
        from planetfall.campaign.plan import make_plan
        from planetfall.campaign.workers.shard_run import run_shard, work_of, workshop
        from dataclasses import replace

        scenario = planetfall.load("scene.toml").with_values({{"scenario.duration": 0.1, "dispersions": {dispersed}}})
        plan = make_plan(scenario, 3, 0, "random", None, "cpu", "")
        plan = replace(plan, files=workshop(work_of(plan, "cpu")).files)
        work = work_of(plan, "cpu")
        Path(sys.argv[1]).write_bytes(pickle.dumps((work, plan.shards[0])))
        print(run_shard(work, plan.shards[0]).column("distance_m").to_pylist())
    """)

    def python(text: str, *words: str) -> str:
        done = subprocess.run([sys.executable, "-c", text, *words], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    file = tmp_path / "sent_drag.py"
    file.write_text(source)
    here = python(program, "first.pickle")
    file.write_text(f"{source}\n# changed since\n")
    assert python(program, "second.pickle") == here
    file.unlink()
    if there != "nothing":
        file.write_text(source.replace("-p.coefficient", "p.coefficient"))
    first, second = python(WORKER, "first.pickle", "second.pickle").splitlines()
    assert f"{first}\n" == here
    assert second == f"plugins: another text of {file} was imported here before; restart the worker"


def test_installed_packages_are_found_by_their_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be imported is warned of, and costs nothing but itself."""
    from importlib.metadata import EntryPoint

    from planetfall.errors import PluginWarning
    from planetfall.scenario.files import plugins

    entries = [EntryPoint(name, value, plugins.GROUP) for name, value in (("json", "json"), ("gone", "no_such_home"))]
    monkeypatch.setattr(plugins, "entry_points", lambda group: entries if group == "planetfall.plugins" else [])
    plugins.load_installed.cache_clear()
    with pytest.warns(PluginWarning, match=r"the plug-in gone \(no_such_home\).*cannot be imported .*not known"):
        assert planetfall.load("msl-drop").plugins is None


def test_a_part_that_was_made_in_a_script(sand: planetfall.Scenario, tmp_path: Path) -> None:
    """A scenario that was saved by the script says so, where nobody has registered its parts."""
    values = {**sand.to_dict(), "plugins": ["__main__"]}
    values["contact"] = {**values["contact"], "law": "sand-of-a-script"}
    with pytest.raises(planetfall.InputError, match=r"unknown 'sand-of-a-script'.*made in a script, which has to"):
        planetfall.Scenario.from_dict(values)
    assert planetfall.register is not None
