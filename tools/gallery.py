"""Make the pictures and films of the gallery, and its page; `--page` makes the page alone, `NAME` one picture.

Each picture is made by the commands that stand below it, in a folder for that purpose. Films come from `planetfall
movie`, which needs a Chromium, and are kept as animated WebP; figures are those that runs leave behind.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageSequence

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "assets" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
FILM_WIDTH, FIGURE_WIDTH = 480, 900
"""Pixels; films are half as wide as a column of text."""
FILM_QUALITY, FIGURE_QUALITY = 45, 80


@dataclass(frozen=True)
class Picture:
    """One picture: its title, what is to be seen, the commands that make it, and the file that they leave."""

    name: str
    title: str
    text: str
    commands: tuple[str, ...]
    file: str

    @property
    def is_film(self) -> bool:
        return self.file.endswith(".gif")


FILM = "--size 640x400 --fps 10 --no-plots"
BESIDE = f"--camera close --follow {FILM}"
PICTURES = (
    Picture(
        "sky-crane", "Sky crane",
        "The rover touches down on its bridles, the landing is detected, and the bridles are cut. The moving "
        "shadow is that of the descent stage.",
        ("planetfall run msl-skycrane --out runs/skycrane",
         f"planetfall movie runs/skycrane --out film.gif --start 18.5 --end 26.5 --speed 1.6 {BESIDE}"),
        "film.gif",
    ),
    Picture(
        "rover-boulders", "A rover in a field of boulders",
        "Arrows are the forces of the ground on the wheels. Torques are distributed so that the slip ratio of the "
        "worst wheel is as small as possible.",
        ("planetfall rover drive lsr1-boulders --out runs/boulders",
         f"planetfall movie runs/boulders --out film.gif --start 10 --end 110 --speed 20 {BESIDE}"),
        "film.gif",
    ),
    Picture(
        "rover-drop", "Dropped onto a slope",
        "The Mars Science Laboratory rover falls 2 m onto a slope of 22 degrees: "
        "each wheel touches down five times, then the rover creeps.",
        ("planetfall run msl-drop --out runs/drop", f"planetfall movie runs/drop --out film.gif --end 5 {FILM}"),
        "film.gif",
    ),
    Picture(
        "lander-hazards", "Down a hazard field",
        "Morpheus tumbles down rocks and craters inclined by 45 degrees.",
        ("planetfall run morpheus-hazard --out runs/hazard",
         f"planetfall movie runs/hazard --out film.gif --end 6 --speed 1.2 {BESIDE}"),
        "film.gif",
    ),
    Picture(
        "entry", "From the entry interface to the ground",
        "Altitude over speed of the capsule of `msl-edl` and of the parts that it drops, from 5.8 km/s to the ground.",
        ("planetfall run msl-edl --out runs/edl",),
        "runs/edl/altitude_over_speed.png",
    ),
    Picture(
        "entry-loads", "Loads and heating of an entry",
        "Deceleration, dynamic pressure and heating over time.",
        ("planetfall run mars-entry-lifting --out runs/lifting",),
        "runs/lifting/loads_over_time.png",
    ),
    Picture(
        "where-it-can-drive", "Where a rover can stand",
        "Every place of a test yard is scored in four headings; colours show why the rover cannot stand at a place.",
        ("planetfall rover map msl-class-yard --headings 4 --every 4 --out runs/map",),
        "runs/map/traversability.png",
    ),
    Picture(
        "touchdown-forces", "Touchdown forces",
        "Loads of the wheels as the sky crane sets its rover down.",
        ("planetfall run msl-skycrane --out runs/skycrane",),
        "runs/skycrane/touchdown_forces.png",
    ),
    Picture(
        "made-ground", "Ground made from statistics",
        "Shaded relief and slopes of a terrain file, here a procedural one with craters, rocks and roughness.",
        ("planetfall terrain make gale-like --out ground.tif", "planetfall terrain plot ground.tif --out ground.png"),
        "ground.png",
    ),
)  # fmt: skip


def make(picture: Picture) -> None:
    """Runs the commands of a picture in a new folder and keeps what they leave, small."""
    with tempfile.TemporaryDirectory() as place:
        for command in picture.commands:
            print(command, flush=True)
            planetfall = Path(sys.executable).with_name("planetfall")
            subprocess.run([planetfall, *shlex.split(command)[1:]], cwd=place, check=True, stdout=subprocess.DEVNULL)
        _keep(Path(place) / picture.file, IMAGES / f"{picture.name}.webp", picture.is_film)


def _keep(source: Path, kept: Path, is_film: bool) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    width = FILM_WIDTH if is_film else FIGURE_WIDTH
    with Image.open(source) as image:
        size = (width, round(image.height * width / image.width))
        frames = [frame.convert("RGB").resize(size) for frame in ImageSequence.Iterator(image)]
        duration = image.info.get("duration", 100)
    if is_film:
        frames[0].save(
            kept, save_all=True, append_images=frames[1:], duration=duration, loop=0, quality=FILM_QUALITY, method=4
        )
    else:
        frames[0].save(kept, quality=FIGURE_QUALITY, method=4)


DRAWN = ("entry", "entry-loads", "touchdown-forces")
"""Curves on white, which are turned round on a dark page; where colours mean heights or shares, that would mislead."""


def page() -> str:
    """The text of the gallery's page."""
    parts = [
        "# Gallery\n\nThe commands below each picture make it from built-in scenarios. `make gallery` makes all "
        "of them again; films need a Chromium ([Looking at results](viewer.md)). This page is written by "
        "`tools/gallery.py`.\n"
    ]
    for heading, is_film in (("Films", True), ("Figures", False)):
        parts.append(f"## {heading}\n")
        for picture in PICTURES:
            if picture.is_film == is_film:
                kind = ".gallery .drawn" if picture.name in DRAWN else ".gallery"
                image = f"![{picture.title}](assets/gallery/{picture.name}.webp){{ {kind} }}"
                commands = "\n".join(picture.commands)
                text = f"{picture.text} The file is `{picture.file}`."
                parts.append(f"### {picture.title}\n\n{image}\n\n{text}\n\n```sh\n{commands}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Makes pictures, unless only the page is wanted, and writes the page."""
    wanted = sys.argv[1:]
    unknown = sorted(set(wanted) - {"--page", *(picture.name for picture in PICTURES)})
    if unknown:
        names = ", ".join(picture.name for picture in PICTURES)
        print(f"{unknown[0]}: no picture of this name; there are {names}", file=sys.stderr)
        return 2
    if "--page" not in wanted:
        for picture in PICTURES:
            if not wanted or picture.name in wanted:
                make(picture)
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
