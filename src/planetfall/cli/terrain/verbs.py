"""`planetfall terrain info`, `plot` and `make`, as the command line declares them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from planetfall.cli.terminal.options import Json
from planetfall.cli.terminal.whole_help import WholeHelpGroup, terrain_names

terrain = typer.Typer(
    help="Look at terrain files, and make some.\n\nExample: planetfall terrain info crater.tif",
    cls=WholeHelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)
TerrainPath = Annotated[Path, typer.Argument(metavar="FILE", help="GeoTIFF, PDS3, ISIS, Arc ASCII, npy; or a mesh.")]
SiteLatLon = Annotated[
    str | None, typer.Option(metavar="LAT,LON", help="Map: latitude and east longitude of the origin [deg].")
]
SitePixel = Annotated[
    str | None, typer.Option(metavar="ROW,COL", help="Map: row and column of the origin; its middle by default.")
]
HalfWidth = Annotated[
    float | None, typer.Option(metavar="M", help="Map: half the side of the square that is read [m]; all by default.")
]
Spacing = Annotated[
    float | None, typer.Option(metavar="M", help="Map: distance of pixels [m], for a file without georeference.")
]
HeightScale = Annotated[float | None, typer.Option(metavar="M", help="Map: metres per unit of the file's heights.")]
Band = Annotated[int | None, typer.Option(metavar="N", help="Map: band that holds the heights, from 1.")]
Nodata = Annotated[
    str | None,
    typer.Option(metavar="VALUE", help="Map: stored value that means no data; 'none' where every pixel is a height."),
]
Metres = Annotated[
    Literal["ground", "map"] | None,
    typer.Option(help="Map: metres on the reference surface at the site (the default), or the map's own."),
]
HeightOffset = Annotated[float | None, typer.Option(metavar="M", help="Map: added to all heights [m].")]
Scale = Annotated[float | None, typer.Option(metavar="S", help="Mesh: metres per unit of the file; 1 by default.")]
Orientation = Annotated[
    Literal["keep", "up", "outward"] | None,
    typer.Option(help="Mesh: keep its winding (the default), or turn open sheets up, or outward from the origin."),
]
Up = Annotated[
    Literal["y", "z"] | None, typer.Option(help="Mesh: axis of the file that is up; y is turned to z first.")
]
Turn = Annotated[
    str | None, typer.Option(metavar="X,Y,Z,W", help="Mesh: terrain.rotation of a scenario, a quaternion.")
]
Offset = Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Mesh: terrain.offset of a scenario [m].")]
View = Annotated[
    Literal["auto", "map", "body"] | None,
    typer.Option(
        help="Mesh: ground seen from above, or a body with slopes against its radius; chosen from its shape by default."
    ),
]


@terrain.command(help="Tell what a terrain file holds: extent, resolution, holes, winding, slopes, georeference.\n\n"
                 "Example: planetfall terrain info crater.tif --site-pixel 120,340")  # fmt: skip
def info(
    file: TerrainPath,
    site_latlon: SiteLatLon = None,
    site_pixel: SitePixel = None,
    half_width: HalfWidth = None,
    spacing: Spacing = None,
    height_scale: HeightScale = None,
    height_offset: HeightOffset = None,
    band: Band = None,
    nodata: Nodata = None,
    metres: Metres = None,
    scale: Scale = None,
    up: Up = None,
    rotation: Turn = None,
    offset: Offset = None,
    orientation: Orientation = None,
    view: View = None,
    as_json: Json = False,
) -> None:
    """`planetfall terrain info`."""
    from planetfall.cli.terrain.info import Options, terrain_info

    options = Options(
        site_latlon=site_latlon, site_pixel=site_pixel, half_width=half_width, spacing=spacing,
        height_scale=height_scale, height_offset=height_offset, band=band, nodata=nodata, metres=metres, scale=scale,
        up=up, rotation=rotation, offset=offset, orientation=orientation, view=view,
    )  # fmt: skip
    terrain_info(file, options, as_json)


@terrain.command(help="Draw a shaded relief beside a slope map into a PNG file.\n\n"
                 "Example: planetfall terrain plot asteroid.obj --scale 1000 --out asteroid.png")  # fmt: skip
def plot(
    file: TerrainPath,
    site_latlon: SiteLatLon = None,
    site_pixel: SitePixel = None,
    half_width: HalfWidth = None,
    spacing: Spacing = None,
    height_scale: HeightScale = None,
    height_offset: HeightOffset = None,
    band: Band = None,
    nodata: Nodata = None,
    metres: Metres = None,
    scale: Scale = None,
    up: Up = None,
    rotation: Turn = None,
    offset: Offset = None,
    orientation: Orientation = None,
    view: View = None,
    out: Annotated[Path | None, typer.Option(help="PNG file; NAME-terrain.png in this folder by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that file.")] = False,
) -> None:
    """`planetfall terrain plot`."""
    from planetfall.cli.terrain.info import Options, terrain_plot

    options = Options(
        site_latlon=site_latlon, site_pixel=site_pixel, half_width=half_width, spacing=spacing,
        height_scale=height_scale, height_offset=height_offset, band=band, nodata=nodata, metres=metres, scale=scale,
        up=up, rotation=rotation, offset=offset, orientation=orientation, view=view,
    )  # fmt: skip
    terrain_plot(file, options, out, force)


@terrain.command(help="Make a terrain and write it to a file.\n\n"
                 "Example: planetfall terrain make rock-field --set seed=7 --out made.tif")  # fmt: skip
def make(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME_OR_FILE",
            help="Built-in terrain (planetfall list has the names), or a .toml file.",
            autocompletion=terrain_names,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The file to write.")],
    sets: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the terrain; may be repeated.")
    ] = [],  # noqa: B006
    force: Annotated[bool, typer.Option("--force", help="Replace that file.")] = False,
    as_json: Json = False,
) -> None:
    """`planetfall terrain make`."""
    from planetfall.cli.terrain.make import make_terrain

    make_terrain(name, sets, out, force, as_json)
