"""`planetfall report` and `planetfall movie` of a run."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

import planetfall
from planetfall.cli.results.movie import placed_film
from planetfall.cli.results.report import page_of
from planetfall.engine.state.batch import EVENT_NAMES
from planetfall.errors import InputError
from planetfall.report.page.run_page import EVENT_UNITS, run_page
from planetfall.viewer.headless.browser import find_browser
from planetfall.viewer.headless.movie import Film, picture_times
from planetfall.viewer.scene.scene import scene_of
from support.command import inside, refuse

needs_browser = pytest.mark.skipif(find_browser() is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cwd = tmp_path_factory.mktemp("report")
    title = 'scenario.title="Drop & <b>slide</b> </script>"'
    sets = ("--set", "scenario.duration=1.2", "--set", title)
    done = inside("run", "msl-drop", "--out", "drop", "--no-figures", *sets, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return cwd / "drop"


def test_one_page_tells_all(run: Path) -> None:
    done = inside("report", "drop", cwd=run.parent)
    assert done.returncode == 0, done.stderr
    page = (run.parent / "drop-report.html").read_text(encoding="utf-8")
    assert page.index("Content-Security-Policy") < page.index("<title>") and "default-src 'none'" in page
    for heading in ("Summary", "Limits", "Energy", "Figures", "Events", "Inputs", "Repeat it"):
        assert f"<h2>{heading}</h2>" in page
    assert page.count("data:image/svg+xml;base64,") == 3
    assert set(EVENT_NAMES) <= set(EVENT_UNITS)
    assert html.escape("planetfall run drop/scenario.toml") in page
    assert "contact.rest_penetration" in page and "vehicle.source" in page and "Raiszadeh2012" in page
    assert "warp-lang" in page and "energy closure" in page
    assert html.escape("Drop & <b>slide</b> </script>") in page and "<b>slide" not in page
    assert "http://" not in page.partition('id="replay-page"')[0]
    assert len(page) < 3_000_000


def test_a_flight_without_contact_points_has_no_rows_of_contact() -> None:
    page = run_page(planetfall.run("nesc-07"))
    summary = page.partition("<h2>Summary</h2>")[2].partition("</table>")[0]
    assert "peak dynamic pressure" in summary and "final speed" in summary
    assert not any(word in summary for word in ("stiffness", "friction", "slide", "touchdown", "penetration"))


def test_files_are_replaced_only_on_purpose(run: Path) -> None:
    (run.parent / "kept.html").write_text("mine", encoding="utf-8")
    (run.parent / "kept.pdf").write_text("mine", encoding="utf-8")
    assert "--force" in refuse("report", "drop", "--out", "kept.html", cwd=run.parent)
    assert "kept.pdf: exists" in refuse("report", "drop", "--pdf", "kept.pdf", cwd=run.parent)


@needs_browser
def test_the_report_prints_as_pdf(run: Path) -> None:
    done = inside("report", "drop", "--out", "p.html", "--pdf", "p.pdf", cwd=run.parent)
    assert done.returncode == 0, done.stderr
    content = (run.parent / "p.pdf").read_bytes()
    assert content.startswith(b"%PDF") and len(content) > 50_000
    assert content.count(b"/Type /Page\n") + content.count(b"/Type /Page/") <= 8


@needs_browser
@pytest.mark.parametrize("kind", ["gif", "mp4"])
def test_a_film_has_its_pictures(kind: str, run: Path) -> None:
    words = ("movie", "drop", "--out", f"f.{kind}", "--end", "1", "--fps", "2", "--size", "320x240", "--no-plots")
    done = inside(*words, cwd=run.parent)
    assert done.returncode == 0, done.stderr
    assert "(3 pictures" in done.stdout
    content = (run.parent / f"f.{kind}").read_bytes()
    assert content.startswith(b"GIF89a") if kind == "gif" else content[4:8] == b"ftyp"
    if kind == "gif":
        from PIL import Image

        with Image.open(run.parent / "f.gif") as film:
            assert film.size == (320, 240)
            assert film.n_frames == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--out", "f.avi"), ".mp4, .gif, .png"),
        (("--size", "big"), "1280x720"),
        (("--size", "321x240", "--out", "g.gif"), "even numbers"),
        (("--camera", "moon", "--out", "g.gif"), "overview, close"),
        (("--start", "9", "--out", "g.gif"), "not before the end"),
        (("--speed", "0.0001", "--out", "g.gif"), "at most 20000"),
    ],
)
def test_a_film_that_cannot_be_is_refused(words: tuple[str, ...], part: str, run: Path) -> None:
    done = inside("movie", "drop", *words, cwd=run.parent)
    assert done.returncode == 2
    assert part in done.stderr


@needs_browser
def test_one_picture_of_any_instant(run: Path) -> None:
    """However long the run; the last instant too."""
    words = ("movie", "drop", "--out", "end.png", "--start", "1.2", "--fps", "60", "--size", "480x320", "--no-plots")
    done = inside(*words, cwd=run.parent)
    assert done.returncode == 0, done.stderr
    assert "(1 picture," in done.stdout
    assert (run.parent / "end.png").read_bytes().startswith(b"\x89PNG")


def test_one_picture_of_a_long_run_needs_no_speed() -> None:
    assert picture_times(Path("x.png"), Film(start=5.0), 1e6).tolist() == [5.0]
    with pytest.raises(InputError, match="--start"):
        picture_times(Path("x.png"), Film(start=5.0), 4.0)


def test_pictures_stand_at_even_steps() -> None:
    film = Film(fps=10, speed=2.0, start=1.0)
    assert film.times(2.0).tolist() == pytest.approx([1.0, 1.2, 1.4, 1.6, 1.8, 2.0])


def test_a_page_is_beside_the_folder_that_it_tells_of(run: Path, tmp_path: Path) -> None:
    """Wherever one happens to be, and for runs and campaigns alike."""
    done = inside("report", str(run), "--force", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = run.parent / f"{run.name}-report.html"
    assert page.is_file() and str(page) in done.stdout
    page.unlink()
    assert not list(tmp_path.glob("*.html"))
    assert page_of(Path("c"), None) == Path("c-report.html")
    assert page_of(Path("runs/c/"), None) == Path("runs/c-report.html")
    assert page_of(Path("runs/c"), Path("x.html")) == Path("x.html")


def test_one_picture_is_of_the_first_touch(run: Path) -> None:
    """Else of the end, or of the instant that is asked for; a film has none."""
    trajectory = planetfall.open(run)
    pack, film = scene_of(trajectory), Film()
    first = min(event.time for event in trajectory.events if event.kind == "touch")
    assert placed_film(film, Path("a.png"), None, pack).start == first
    assert placed_film(film, Path("a.png"), 0.2, pack).start == 0.2
    pack.header["events"] = []
    assert placed_film(film, Path("a.png"), None, pack).start == trajectory.data.time.values[-1]
    assert placed_film(film, Path("a.gif"), None, pack) == film
    with pytest.raises(InputError, match="--at"):
        placed_film(film, Path("a.gif"), 0.2, pack)
