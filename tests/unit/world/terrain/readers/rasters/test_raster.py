"""Rasters of known content: orientation, windows, missing pixels, scale, unit, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from planetfall.errors import InputError
from planetfall.world.terrain.readers.rasters.geotiff import open_raster
from planetfall.world.terrain.readers.rasters.raster import RasterReading
from planetfall.world.terrain.readers.rasters.site import SiteLatLon, SiteMap, SitePixel
from support.terrain_files import EQUIRECTANGULAR, MARS, POLAR, arc_ascii, pds3, read_npy, read_raster, write_tiff

RADIUS = 3396190.0
# Rows from north to south, columns from west to east, no two alike and no symmetry.
NORTH_FIRST = np.array([[11.0, 12.0, 13.0], [21.0, 22.0, 23.0], [31.0, 32.0, 34.0], [41.0, 42.0, 45.0]], np.float32)
PLAIN = RasterReading(spacing=(2.0, 5.0))


def test_index_grows_with_east_and_north(tmp_path):
    raster = read_raster(write_tiff(tmp_path / "a.tif", NORTH_FIRST, (100.0, 200.0), (2.0, 5.0)))
    assert raster.heights.dtype == np.float64
    assert np.array_equal(raster.heights, NORTH_FIRST[::-1])
    assert (raster.spacing_x, raster.spacing_y) == (2.0, 5.0)
    # The origin is the middle of the map: 1 column and 1.5 rows from the south-western pixel centre.
    assert (raster.x_first, raster.y_first) == (-2.0, -7.5)
    assert np.array_equal(raster.x, [-2.0, 0.0, 2.0])
    assert np.array_equal(raster.y, [-7.5, -2.5, 2.5, 7.5])
    assert (raster.site.map_x, raster.site.map_y) == (103.0, 190.0)
    assert raster.extent == (4.0, 15.0)
    assert raster.n_holes == 0
    assert raster.crs is None


@pytest.mark.parametrize(("step_x", "step_y"), [(2.0, -5.0), (2.0, 5.0), (-2.0, -5.0), (-2.0, 5.0)])
def test_files_that_run_any_way_give_the_same_ground(tmp_path, step_x, step_y):
    stored = NORTH_FIRST[:: 1 if step_y < 0 else -1, :: 1 if step_x > 0 else -1]
    transform = Affine(step_x, 0.0, 100.0 if step_x > 0 else 106.0, 0.0, step_y, 200.0 if step_y < 0 else 180.0)
    path = write_tiff(tmp_path / "a.tif", stored, transform=transform)
    raster = read_raster(path, SiteMap(101.0, 182.5))
    assert np.array_equal(raster.heights, NORTH_FIRST[::-1])
    assert (raster.x_first, raster.y_first) == (0.0, 0.0)
    assert (raster.spacing_x, raster.spacing_y) == (2.0, 5.0)
    row, column = raster.file_pixel(0, 1)
    assert stored[row, column] == 42.0


def test_only_the_window_about_the_site_is_read(tmp_path):
    stored = np.arange(40 * 30, dtype=np.float32).reshape(40, 30)
    path = write_tiff(tmp_path / "a.tif", stored, (0.0, 0.0), (10.0, 10.0))
    raster = read_raster(path, SitePixel(12, 20), half_width=25.0)
    # 25 m are 2.5 pixels: the window reaches 3 to either side.
    assert (raster.window.row, raster.window.column) == (9, 17)
    assert raster.heights.shape == (7, 7)
    assert np.array_equal(raster.heights, stored[9:16, 17:24][::-1])
    assert (raster.x_first, raster.y_first) == (-30.0, -30.0)
    assert raster.heights[3, 3] == stored[12, 20]
    assert raster.file_pixel(3, 3) == (12, 20)


def test_a_site_between_pixels_is_the_origin(tmp_path):
    path = write_tiff(tmp_path / "a.tif", NORTH_FIRST, (0.0, 0.0), (1.0, 1.0))
    raster = read_raster(path, SitePixel(1.25, 0.5), half_width=0.6)
    # Rows 0.65 to 1.85 and columns -0.1 to 1.1 are covered by rows 0 to 2, columns 0 to 2.
    assert raster.heights.shape == (3, 3)
    assert (raster.x_first, raster.y_first) == (-0.5, -0.75)


def test_a_window_that_leaves_the_map_is_cut_and_says_so(tmp_path):
    raster = read_raster(write_tiff(tmp_path / "a.tif", NORTH_FIRST), SitePixel(0, 0), half_width=1.0)
    assert np.array_equal(raster.heights, NORTH_FIRST[:2, :2][::-1])
    assert any("ends inside" in note for note in raster.notes)


def test_missing_pixels_are_holes(tmp_path):
    stored = NORTH_FIRST.copy()
    stored[0, 0], stored[1, 1] = -9999.0, np.nan
    raster = read_raster(write_tiff(tmp_path / "a.tif", stored, nodata=-9999.0))
    assert raster.n_holes == 2
    assert np.isnan(raster.heights[3, 0])
    assert np.isnan(raster.heights[2, 1])


def test_half_precision_is_read(tmp_path):
    stored = NORTH_FIRST.astype(np.float16)
    stored[0, 0] = np.inf
    np.save(tmp_path / "a.npy", stored)
    assert read_npy(tmp_path / "a.npy", reading=PLAIN).n_holes == 1


def test_special_pixels_of_pds_and_isis_are_holes_without_being_declared(tmp_path):
    stored = NORTH_FIRST.copy()
    stored[0, :2] = np.array([0xFF7FFFFB, 0xFF7FFFFF], np.uint32).view(np.float32)
    assert read_raster(write_tiff(tmp_path / "a.tif", stored)).n_holes == 2


def test_a_mask_inside_the_file_makes_holes(tmp_path):
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        path = write_tiff(tmp_path / "a.tif", NORTH_FIRST)
        with rasterio.open(path, "r+") as dataset:
            mask = np.full(NORTH_FIRST.shape, 255, np.uint8)
            mask[3, 2] = 0
            dataset.write_mask(mask)
    raster = read_raster(path)
    assert raster.n_holes == 1
    assert np.isnan(raster.heights[0, 2])


def test_undeclared_missing_values_are_refused_until_it_is_told_what_they_are(tmp_path):
    """As ground they would be a pit of 10 km. What looks at a file strip by strip notes them instead."""
    stored = NORTH_FIRST.copy()
    stored[2, 2] = -9999.0
    path = write_tiff(tmp_path / "a.tif", stored)
    with pytest.raises(InputError, match=r"1 pixels hold -9999.*nodata = -9999 if .*nodata = 'none' if"):
        read_raster(path)
    with open_raster(path) as file:
        list(file.strips())
        assert any("1 pixels hold -9999" in note for note in file.notes)
    missing, present = (read_raster(path, reading=RasterReading(nodata=told)) for told in (-9999.0, "none"))
    assert (missing.n_holes, present.n_holes, present.heights.min()) == (1, 0, -9999.0)
    assert not any("hold" in note for note in missing.notes + present.notes)


def test_swapped_rows_and_columns_are_named(tmp_path):
    path = write_tiff(tmp_path / "a.tif", NORTH_FIRST, transform=Affine(0.0, 2.0, 0.0, 2.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"rows and columns are swapped.*gdalwarp"):
        read_raster(path)


def test_scale_and_offset_of_the_file_and_of_the_user(tmp_path):
    stored = np.array([[1, 2], [3, -32768]], np.int16)
    path = write_tiff(tmp_path / "a.tif", stored, nodata=-32768, scale=0.5, offset=100.0)
    assert np.array_equal(read_raster(path).heights, [[101.5, np.nan], [100.5, 101.0]], equal_nan=True)
    raster = read_raster(path, reading=RasterReading(height_scale=10.0, height_offset=-1000.0))
    assert np.array_equal(raster.heights, [[15.0, np.nan], [5.0, 10.0]], equal_nan=True)


def test_metres_of_a_stretched_map_are_those_on_the_ground(tmp_path):
    # Equirectangular with its true parallel at the equator, at 60 degrees north: east is stretched twice.
    northing = RADIUS * math.radians(60.0)
    stored = np.zeros((3, 3), np.float32)
    path = write_tiff(tmp_path / "a.tif", stored, (-15.0, northing + 15.0), (10.0, 10.0), EQUIRECTANGULAR)
    raster = read_raster(path)
    assert raster.site.latitude == pytest.approx(math.radians(60.0), abs=1e-12)
    assert raster.site.radius == RADIUS
    # cos(60 deg) to the error of the difference quotient, 1e-10.
    assert raster.spacing_x == pytest.approx(5.0, rel=1e-9)
    assert raster.spacing_y == 10.0
    assert any("2.0000 m (east)" in note for note in raster.notes)
    as_drawn = read_raster(path, reading=RasterReading(metres="map"))
    assert (as_drawn.spacing_x, as_drawn.spacing_y) == (10.0, 10.0)
    # A window is measured on the ground as well: 20 m east are 4 columns of 5 m; the map has 1 on either side.
    assert read_raster(path, half_width=4.0).heights.shape == (3, 3)


def test_degrees_become_metres_at_the_site(tmp_path):
    stored = np.zeros((5, 5), np.float32)
    path = write_tiff(tmp_path / "a.tif", stored, (137.0, -4.5), (0.01, 0.01), MARS)
    raster = read_raster(path)
    degree = RADIUS * math.pi / 180.0
    latitude = -4.5 - 0.025
    assert raster.site.latitude == pytest.approx(math.radians(latitude), abs=1e-12)
    assert raster.spacing_y == pytest.approx(0.01 * degree, rel=1e-9)
    assert raster.spacing_x == pytest.approx(0.01 * degree * math.cos(math.radians(latitude)), rel=1e-9)
    with pytest.raises(InputError, match="degrees"):
        read_raster(path, reading=RasterReading(metres="map"))


def test_an_ellipsoid_has_its_own_degrees(tmp_path):
    path = write_tiff(tmp_path / "a.tif", np.zeros((3, 3), np.float32), (10.0, 45.0), (0.001, 0.001), "EPSG:4326")
    raster = read_raster(path)
    # Meridian and normal radii of WGS 84 at the latitude of the middle.
    sine2 = math.sin(math.radians(44.9985)) ** 2
    e2 = 0.0066943799901413165
    normal = 6378137.0 / math.sqrt(1.0 - e2 * sine2)
    meridian = normal * (1.0 - e2) / (1.0 - e2 * sine2)
    step = math.radians(0.001)
    assert raster.spacing_x == pytest.approx(step * normal * math.cos(math.radians(44.9985)), rel=1e-9)
    assert raster.spacing_y == pytest.approx(step * meridian, rel=1e-9)


@pytest.mark.parametrize("longitude", [-170.0, 190.0])
def test_longitudes_of_both_customs_find_the_site(tmp_path, longitude):
    # A map drawn from 0 to 360 degrees: PROJ would put 190 east on the other side.
    degree = RADIUS * math.pi / 180.0
    stored = np.arange(180 * 360, dtype=np.float32).reshape(180, 360)
    path = write_tiff(tmp_path / "a.tif", stored, (0.0, 90.0 * degree), (degree, degree), EQUIRECTANGULAR)
    raster = read_raster(path, SiteLatLon(30.5, longitude), half_width=degree)
    assert (raster.site.row, raster.site.column) == pytest.approx((59.0, 189.5), abs=1e-9)
    in_degrees = write_tiff(tmp_path / "b.tif", stored, (0.0, 90.0), (1.0, 1.0), MARS)
    raster = read_raster(in_degrees, SiteLatLon(30.5, longitude), half_width=degree)
    assert (raster.site.row, raster.site.column) == pytest.approx((59.0, 189.5), abs=1e-9)
    assert raster.site.longitude == pytest.approx(math.radians(-170.0), abs=1e-12)


def test_a_polar_map_reports_where_north_is(tmp_path):
    # On the meridian 90 east of a north polar map, north (towards the pole) is -x, so y points 90 degrees east of it.
    stored = np.zeros((3, 3), np.float32)
    path = write_tiff(tmp_path / "a.tif", stored, (100_000.0, 15.0), (10.0, 10.0), POLAR)
    raster = read_raster(path)
    assert raster.site.longitude == pytest.approx(math.pi / 2.0, abs=1e-12)
    assert raster.site.convergence == pytest.approx(math.pi / 2.0, abs=1e-9)
    at_pole = read_raster(write_tiff(tmp_path / "b.tif", stored, (-15.0, 15.0), (10.0, 10.0), POLAR))
    assert (at_pole.spacing_x, at_pole.spacing_y) == pytest.approx((10.0, 10.0), rel=1e-9)


@pytest.mark.parametrize(("place", "origin"), [("corner", (105.0, 205.0)), ("center", (100.0, 200.0))])
def test_arc_ascii_by_corner_and_by_centre(tmp_path, place, origin):
    path = tmp_path / "a.asc"
    path.write_text(arc_ascii([[1, 2, 3], [4, -9999, 6]], place))
    raster = read_raster(path)
    assert np.array_equal(raster.heights, [[4.0, np.nan, 6.0], [1.0, 2.0, 3.0]], equal_nan=True)
    assert (raster.spacing_x, raster.spacing_y) == (10.0, 10.0)
    assert raster.n_holes == 1
    south_west = raster.site.map_x + raster.x_first, raster.site.map_y + raster.y_first
    assert south_west == origin


def test_arc_ascii_keeps_double_precision(tmp_path):
    path = tmp_path / "a.asc"
    path.write_text(arc_ascii([[4472.123456789, 2], [3, 4]]))
    assert read_raster(path).heights[1, 0] == 4472.123456789


@pytest.mark.parametrize("kind", [np.float32, np.int16])
@pytest.mark.parametrize("is_attached", [True, False])
def test_pds3_labels(tmp_path, kind, is_attached):
    stored = NORTH_FIRST.astype(kind)
    stored[0, 0] = np.array([0xFF7FFFFB], np.uint32).view(np.float32)[0] if kind is np.float32 else -32768
    image = tmp_path / "MAP.IMG"
    if is_attached:
        image.write_bytes(pds3(stored, scaling=(0.5, 7.0)))
    else:
        image.write_bytes(stored.astype("<f4" if kind is np.float32 else "<i2").tobytes())
        (tmp_path / "MAP.LBL").write_bytes(pds3(stored, "MAP.IMG", scaling=(0.5, 7.0)))
    expected = NORTH_FIRST[::-1] * 0.5 + 7.0
    expected[3, 0] = np.nan
    # A detached label is found from its image.
    for path in [image] if is_attached else [image, tmp_path / "MAP.LBL"]:
        raster = read_raster(path)
        assert np.array_equal(raster.heights, expected, equal_nan=True)
        assert (raster.spacing_x, raster.spacing_y) == pytest.approx((10.0, 10.0), rel=1e-9)
        assert raster.site.radius == RADIUS


def test_kilometres_in_a_pds_label_are_heeded(tmp_path):
    path = tmp_path / "MAP.IMG"
    path.write_bytes(pds3(NORTH_FIRST, unit="KILOMETER", scaling=(0.5, 7.0)))
    assert np.array_equal(read_raster(path).heights, (NORTH_FIRST[::-1] * 0.5 + 7.0) * 1000.0)
    path.write_bytes(pds3(NORTH_FIRST, unit="CANDELA"))
    with pytest.raises(InputError, match="candela"):
        read_raster(path)
    assert read_raster(path, reading=RasterReading(height_scale=2.0)).heights.max() == 90.0


@pytest.mark.parametrize("is_north_first", [True, False])
def test_a_bare_array_with_spacing(tmp_path, is_north_first):
    path = tmp_path / "a.npy"
    np.save(path, NORTH_FIRST[:: 1 if is_north_first else -1])
    reading = replace(PLAIN, is_north_first=is_north_first, height_offset=-1.0)
    raster = read_npy(path, SitePixel(0, 0), reading=reading)
    assert np.array_equal(raster.heights, NORTH_FIRST[::-1] - 1.0)
    assert (raster.spacing_x, raster.spacing_y) == (2.0, 5.0)
    assert (raster.x_first, raster.y_first) == (0.0, -15.0 if is_north_first else 0.0)
    assert np.array_equal(read_npy(path, SitePixel(1, 1), 2.0, reading).heights.shape, (3, 3))


def test_a_bare_array_in_fortran_order(tmp_path):
    np.save(tmp_path / "a.npy", np.asfortranarray(NORTH_FIRST))
    assert np.array_equal(read_npy(tmp_path / "a.npy", reading=PLAIN).heights, NORTH_FIRST[::-1])


def test_spacing_sets_a_wrong_coordinate_system_aside(tmp_path):
    path = write_tiff(tmp_path / "a.tif", NORTH_FIRST, (0.0, 0.0), (1.0, 1.0), EQUIRECTANGULAR)
    raster = read_raster(path, reading=PLAIN)
    assert (raster.spacing_x, raster.spacing_y, raster.crs) == (2.0, 5.0, None)
    assert any("set aside" in note for note in raster.notes)


def refused(match, path, *args, read=read_raster, **options):
    """The message of a refusal, which begins with the file."""
    with pytest.raises(InputError, match=match) as caught:
        read(path, *args, **options)
    assert str(caught.value).startswith(str(path))


def test_what_is_refused(tmp_path):
    path = write_tiff(tmp_path / "a.tif", NORTH_FIRST, (100.0, 200.0), (2.0, 5.0))
    refused("off the map", path, SitePixel(9, 0))
    refused("off the map", path, SiteMap(0.0, 0.0))
    refused("no coordinate system", path, SiteLatLon(0.0, 0.0))
    refused("half_width", path, None, -1.0)
    refused("half_width", path, None, math.nan)
    refused("band 2", path, reading=RasterReading(band=2))
    refused("spacing", path, reading=RasterReading(spacing=0.0))
    refused("scaled by 0", path, reading=RasterReading(height_scale=0.0))
    refused("no such file", tmp_path / "none.tif")
    refused("not a file", tmp_path)
    on_mars = write_tiff(tmp_path / "m.tif", NORTH_FIRST, (0.0, 0.0), (1.0, 1.0), EQUIRECTANGULAR)
    refused("corners", on_mars, SiteLatLon(40.0, 10.0))
    refused("latitude", on_mars, SiteLatLon(140.0, 10.0))
    refused("metres is", on_mars, reading=RasterReading(metres="feet"))  # pyright: ignore[reportArgumentType]


def test_grids_that_are_refused(tmp_path):
    turned = Affine(1.0, 0.1, 0.0, 0.1, -1.0, 0.0)
    refused("rotated", write_tiff(tmp_path / "turned.tif", NORTH_FIRST, transform=turned))
    refused("no georeference", write_tiff(tmp_path / "bare.tif", NORTH_FIRST, transform=Affine.identity()))
    refused("1 x 3", write_tiff(tmp_path / "row.tif", NORTH_FIRST[:1]))
    refused("2 bands", write_tiff(tmp_path / "two.tif", np.stack([NORTH_FIRST, NORTH_FIRST])))
    refused("no pixel", write_tiff(tmp_path / "void.tif", np.full((3, 3), -1.0, np.float32), nodata=-1.0))
    refused("1e\\+30", write_tiff(tmp_path / "far.tif", np.full((3, 3), 1e30, np.float32)))
    refused("complex64", write_tiff(tmp_path / "complex.tif", NORTH_FIRST.astype(np.complex64)))
    second = read_raster(tmp_path / "two.tif", reading=RasterReading(band=2))
    assert np.array_equal(second.heights, NORTH_FIRST[::-1])


def test_a_skewed_projection_is_refused(tmp_path):
    # Sinusoidal, 60 degrees from its meridian at 45 north: the map's y axis leans along the outline.
    crs = EQUIRECTANGULAR.replace("Equirectangular", "Sinusoidal").replace('PARAMETER["standard_parallel_1",0],', "")
    crs = crs.replace("central_meridian", "longitude_of_center")
    x = RADIUS * math.radians(60.0) * math.cos(math.radians(45.0))
    path = write_tiff(tmp_path / "a.tif", NORTH_FIRST, (x, RADIUS * math.radians(45.0)), (10.0, 10.0), crs)
    refused("out of square", path)
    assert read_raster(path, reading=RasterReading(metres="map")).spacing_x == 10.0


def test_absurd_sizes_are_refused_before_anything_is_allocated(tmp_path):
    path = tmp_path / "a.asc"
    path.write_text(arc_ascii([[1, 2], [3, 4]]).replace("ncols 2", "ncols 900000000"))
    refused("claims", path)
    path.write_text(arc_ascii([[1, 2], [3, 4]]).replace("ncols 2", "ncols -2"))
    refused("ncols is -2", path)
    huge = {"width": 200_000, "height": 200_000, "count": 1, "dtype": "float32", "sparse_ok": True, "tiled": True}
    huge["bigtiff"] = "yes"
    with rasterio.open(tmp_path / "huge.tif", "w", driver="GTiff", transform=Affine(1, 0, 5, 0, -1, 0), **huge):
        pass
    refused("half_width", tmp_path / "huge.tif")
    path = tmp_path / "a.npy"
    np.save(path, NORTH_FIRST)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"(4, 3)", b"(4000000000, 3)".ljust(6)))
    refused("claims 12000000000 pixels", path, read=read_npy, reading=PLAIN)
    path.write_bytes(data[:-1])
    refused("claims", path, read=read_npy, reading=PLAIN)
    np.save(path, NORTH_FIRST)
    refused("spacing", path, read=read_npy)
    np.save(path, NORTH_FIRST[0])
    refused("shape", path, read=read_npy, reading=PLAIN)
    np.save(path, np.array([[None, 1]], object), allow_pickle=True)
    refused("object", path, read=read_npy, reading=PLAIN)


@pytest.mark.parametrize("name", ["../secret.img", "/etc/hostname", "..\\secret.img"])
def test_a_label_that_points_out_of_its_folder_is_refused(tmp_path, name):
    (tmp_path / "secret.img").write_bytes(b"0" * 4096)
    (tmp_path / "maps").mkdir()
    label = tmp_path / "maps" / "a.lbl"
    label.write_bytes(pds3(NORTH_FIRST.astype(np.float32), image=name))
    with pytest.raises(InputError, match="the label points to"):
        read_raster(label)


def test_a_map_without_end_is_not_read_through(tmp_path):
    """Sparse: 400,000 x 400,000 pixels in some kilobytes. A part of it can be looked at."""
    profile = {"count": 1, "height": 400_000, "width": 400_000, "dtype": "uint8", "tiled": True, "SPARSE_OK": True,
               "BIGTIFF": "YES", "blockxsize": 4096, "blockysize": 4096}  # fmt: skip
    path = tmp_path / "sparse.tif"
    with rasterio.open(path, "w", driver="GTiff", transform=Affine(1.0, 0.0, 5.0, 0.0, -1.0, 0.0), **profile):
        pass
    with open_raster(path) as file, pytest.raises(InputError, match=r"400000 x 400000 pixels.*half_width"):
        next(file.strips())
    with open_raster(path, half_width=10.0) as file:
        assert sum(len(strip.heights) for strip in file.strips()) > 0
