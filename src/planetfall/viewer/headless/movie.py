"""A replay as a film: frames from a browser without a window, put together as MP4 or GIF."""

import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planetfall.errors import InputError, PlanetfallError
from planetfall.viewer.headless.browser import Tab, browser_tab
from planetfall.viewer.pack import Pack
from planetfall.viewer.page import page_with

CAMERAS = ("overview", "close", "side", "above", "ground", "aboard", "descent")
"""Of the page, as `page/src/cameras.ts` has them."""
MOST_FRAMES = 20_000
KINDS = (".mp4", ".gif", ".png")


@dataclass(frozen=True)
class Film:
    """How a film is made.

    Attributes:
        fps: Pictures a second.
        speed: Simulated over shown time.
        start: First simulated time [s].
        end: Last simulated time [s]; that of the run by default.
        width: [pixels], even.
        height: [pixels], even.
        camera: One of the page's presets.
        is_following: Whether the camera goes along with the vehicle.
        has_plots: Whether plots and bar are shown beside the scene.
    """

    fps: int = 25
    speed: float = 1.0
    start: float = 0.0
    end: float | None = None
    width: int = 1280
    height: int = 720
    camera: str = "overview"
    is_following: bool = False
    has_plots: bool = True

    def times(self, duration: float) -> np.ndarray:
        """Simulated times of the pictures [s].

        Raises:
            InputError: There are none, or too many.
        """
        end = duration if self.end is None else min(self.end, duration)
        if end <= self.start:
            raise InputError("--start", f"{self.start:g} s is not before the end, {end:g} s")
        count = int(np.floor((end - self.start) * self.fps / self.speed)) + 1
        if count > MOST_FRAMES:
            least = (end - self.start) * self.fps / MOST_FRAMES
            raise InputError(
                "--speed", f"{self.speed:g} needs {count} pictures", f"at most {MOST_FRAMES}",
                f"use --speed {least:.2g} or more",
            )  # fmt: skip
        return self.start + np.arange(count) * self.speed / self.fps


def check_film(path: Path, film: Film) -> None:
    """Refuses what cannot be made before a browser is started."""
    if path.suffix.lower() not in KINDS:
        raise InputError(str(path), "is not the name of a film", f"a file that ends in {', '.join(KINDS)}")
    if film.camera not in CAMERAS:
        raise InputError("--camera", f"there is no camera {film.camera!r}", f"one of {', '.join(CAMERAS)}")
    if film.width % 2 or film.height % 2:
        raise InputError("--size", f"{film.width}x{film.height}", "even numbers, as MP4 needs them")
    if path.suffix.lower() == ".mp4":
        _encoder()


def picture_times(path: Path, film: Film, duration: float) -> np.ndarray:
    """Simulated times of the pictures [s]: of a film, or the one of a `.png`.

    Raises:
        InputError: There are none, or too many.
    """
    if path.suffix.lower() != ".png":
        return film.times(duration)
    if not 0.0 <= film.start <= duration:
        raise InputError("--start", f"{film.start:g} s is not within the run", f"0 to {duration:g} s")
    return np.array([film.start])


def write_film(pack: Pack, path: Path, film: Film, progress: Callable[[float], None] | None = None) -> int:
    """Writes a film of a run, or with `.png` its first picture; returns how many pictures it has."""
    times = picture_times(path, film, float(pack.arrays["time"][-1]))
    with tempfile.TemporaryDirectory(prefix="planetfall-film-") as folder:
        page = Path(folder) / "page.html"
        page.write_text(page_with(pack), encoding="utf-8")
        with browser_tab(film.width, film.height) as tab:
            tab.open(page, "window.planetfall && window.planetfall.isReady")
            _arrange(tab, film)
            pictures = _pictures(tab, times, progress)
            part = path.with_name(f".part-{path.name}")
            try:
                _WRITERS[path.suffix.lower()](pictures, part, film)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
    return len(times)


def _arrange(tab: Tab, film: Film) -> None:
    tab.evaluate(f"planetfall.film({str(film.has_plots).lower()})")
    tab.evaluate(f"planetfall.replay.playback.seek({film.start!r})")
    tab.evaluate(f"planetfall.view.cameras.go({film.camera!r})")
    if film.is_following:
        tab.evaluate("planetfall.view.cameras.setFollowing(true)")


def _pictures(tab: Tab, times: np.ndarray, progress: Callable[[float], None] | None) -> Iterator[bytes]:
    for i, time in enumerate(times):
        tab.evaluate(f"planetfall.replay.playback.seek({float(time)!r}), planetfall.drawNow()")
        yield tab.png()
        if progress is not None:
            progress((i + 1) / len(times))


def _encoder() -> str:
    """Path of ffmpeg: that of the extra `movie`.

    Raises:
        PlanetfallError: It is not installed.
    """
    try:
        from imageio_ffmpeg import get_ffmpeg_exe  # type: ignore[import-untyped]
    except ImportError:
        raise PlanetfallError(
            "MP4 needs an encoder: pip install imageio-ffmpeg, or write a .gif, which needs nothing more"
        ) from None
    return get_ffmpeg_exe()


def _write_mp4(pictures: Iterator[bytes], path: Path, film: Film) -> None:
    import subprocess

    words = [
        _encoder(), "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", str(film.fps), "-c:v", "png",
        "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", "-f", "mp4",
        str(path),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as said:
        encoder = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=said)
        assert encoder.stdin is not None
        try:
            for picture in pictures:
                encoder.stdin.write(picture)
            encoder.stdin.close()
        except BrokenPipeError:
            pass
        except BaseException:
            encoder.kill()
            encoder.wait()
            raise
        if encoder.wait() != 0:
            said.seek(0)
            raise PlanetfallError(f"ffmpeg stopped: {said.read().decode('utf-8', 'replace').strip()[:300]}")


def _write_gif(pictures: Iterator[bytes], path: Path, film: Film) -> None:
    from PIL import Image

    frames = [Image.open(io.BytesIO(picture)).convert("P", palette=Image.Palette.ADAPTIVE) for picture in pictures]
    each = max(round(1000 / film.fps), 20)  # browsers show shorter frames late
    frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=each, loop=0, optimize=False)


def _write_png(pictures: Iterator[bytes], path: Path, film: Film) -> None:
    path.write_bytes(next(pictures))


_WRITERS: dict[str, Callable[[Iterator[bytes], Path, Film], None]] = {
    ".mp4": _write_mp4,
    ".gif": _write_gif,
    ".png": _write_png,
}
