"""Real terrain files against what their provenance says of them.

The files are not part of the repository: they lie in `../shared/data` beside it, or where the variable
PLANETFALL_SHARED_DATA points.
Volumes, extents and counts are those of PROVENANCE.md there; a tolerance is half a unit of the last digit it prints.
"""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from planetfall.errors import InputError
from planetfall.world.terrain.readers.load import MeshReading, load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement
from planetfall.world.terrain.readers.meshes.obj import read_obj
from planetfall.world.terrain.readers.meshes.shape_table import read_shape_table
from planetfall.world.terrain.readers.meshes.winding import oriented, winding
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from planetfall.world.terrain.readers.rasters.site import SiteLatLon, SitePixel
from support.shared_data import DATA
from support.terrain_files import read_npy, read_raster

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA} (set PLANETFALL_SHARED_DATA)")

GALE = "dem/mars/mmgis_missionDEM.tif"
FIXTURE = "pds/hirise/fixture_hirise_dtm_attached_label.IMG"
SPACING = RasterReading(spacing=1.01)

# File: vertices, facets, volume with half its last digit, extent (km3 and km; the analytic ones are in their own unit).
SHAPES = {
    "67p/67p-16k_visnav.obj": (16001, 31998, (18.477, 5e-4), (5.07, 3.71, 3.32)),
    "67p/67p-4k_visnav.obj": (4001, 7998, (18.485, 5e-4), (5.07, 3.71, 3.33)),
    "67p/67P_smallbodygravity.obj": (2895, 5786, (18.481, 5e-4), (4.99, 3.65, 3.01)),
    "67p/67P-CG_42.obj": (6600, 13196, (20.356, 5e-4), (5.01, 3.69, 3.25)),
    "itokawa/ItokawaHayabusa_basilisk.obj": (24578, 49152, (0.0177856, 5e-8), (0.562, 0.305, 0.243)),
    "itokawa/itokawa_196608_draco.ply": (98306, 196608, (0.0177365, 5e-8), (0.562, 0.305, 0.243)),
    "itokawa/itokawa_8_sbgat.obj": (386, 768, (0.01729, 5e-6), None),
    "itokawa/itokawa_16_sbgat.obj": (1538, 3072, (0.01762, 5e-6), None),
    "itokawa/itokawa_32_sbgat.obj": (6146, 12288, (0.01770, 5e-6), None),
    "itokawa/25143itokawa_ostro_radar.tab": (6098, 12192, (0.02406, 5e-6), (0.548, 0.313, 0.276)),
    "ryugu/ryugu_celestia_bodyframe.ply": (24578, 49152, (0.37727, 5e-6), (1.019, 1.019, 0.964)),
    "ryugu/ryugu_test.obj": (2968, 5932, (0.37688, 5e-6), (1.019, 1.019, 0.964)),
    "bennu/g_12570mm_alt_obj_0000n00000_v014.obj": (6146, 12288, (0.060840, 5e-7), (0.562, 0.541, 0.499)),
    "bennu/Asteroid_101955_Bennu_nasa3d.stl": (24578, 49152, (0.0708882, 5e-8), (0.549, 0.566, 0.553)),
    "phobos/phobos_gaskell_q64_cosmographia.ply": (24578, 49152, (5757.79, 5e-3), (26.17, 23.56, 19.62)),
    "phobos/phobos_celestia_bodyframe.ply": (24578, 49152, (5692.43, 5e-3), (26.10, 23.43, 19.48)),
    "phobos/phobos_thomas_cosmographia.obj": (16022, 32040, (5748.71, 5e-3), (26.04, 23.37, 19.40)),
    "eros/Eros_ver64q.vtk": (24578, 49152, (2506.39, 5e-3), (32.66, 16.88, 11.96)),
    "eros/eros007790.tab": (3897, 7790, (2525.99, 5e-3), (32.69, 16.82, 11.95)),
    "eros/EROS856Vert1708Fac.txt": (856, 1708, (2491.62, 5e-3), (32.61, 16.67, 11.87)),
    "analytic/tsoulis.ply": (8, 12, (2000.0, 1e-9), (20.0, 10.0, 10.0)),
    "analytic/tsoulis.stl": (8, 12, (2000.0, 1e-9), (20.0, 10.0, 10.0)),
    "analytic/tsoulis.off": (8, 12, (2000.0, 1e-9), (20.0, 10.0, 10.0)),
    "analytic/MeshReaderTestReadSimple.tab": (8, 12, (2000.0, 1e-9), (20.0, 10.0, 10.0)),
}

# File: facets, bodies, closed bodies.
MESHES = {
    "terrain/dingo_gap_msl_L4_enu.ply": (225770, None, 0),
    "terrain/42/Rgn_Crater.obj": (3042, 1, 0),
    "terrain/42/Rgn_Terrain.obj": (3042, 1, 0),
    "terrain/42/Rgn_TAG.obj": (963, 1, 0),
    "terrain/marsyard2021_rocks_big.obj": (6510, 39, 39),
    "lander/ow_europa_lander/base_link.STL": (28038, None, None),
    "lander/ow_europa_lander/base_link_col.STL": (1096, 1, 1),
    "lander/ow_europa_lander/l_ant_foot_col.STL": (132, 1, 1),
    "lander/42/LanderBody.obj": (None, 1, 1),
    "lander/42/LanderLeg.obj": (None, 1, 1),
    "rover/Curiosity_body_nasa3d.stl": (18338, 1, 1),
    "ac3d/assimp/Wuson.ac": (3732, None, None),
}

# What is refused, and the words that say why.
REFUSED = {
    "dem/mars/hirise_DTEEC_010228_1490_crop_1m.npy": "spacing",
    "meshes/ac3d/assimp/closedLine.ac": "only 1 lines",
    "meshes/ac3d/assimp/openLine.ac": "only 1 lines",
    "meshes/ac3d/assimp/nosurfaces.ac": "no facets",
    "pds/P06_003376_1987_XN_18N283W_070416.LBL": "JP2: No such file",
    "pds/gdal/CE_LAMO_Q_00N_036E_MER_CLR_truncated.IMG": "half_width",
    "pds/gdal/ESP_013951_1955_RED.LBL": "byte.tif: No such file",
    "pds/gdal/LDEM_4.IMG": "Failed to read scanline",
    "pds/gdal/LDEM_4.LBL": "Failed to read scanline",
    "pds/gdal/fl73n003_truncated.img": "out of square",
    "pds/gdal/map_000_038_truncated.lbl": "No such file",
    "pds/gdal/mc02_truncated.img": "1 x 3840 pixels",
    "pds/gdal/pds_3177.lbl": "No such file",
    "pds/hirise/DTEED_042328_1985_033150_1985_A01.LBL.txt": "Failed to read scanline 0",
    "pds/isis/MroHirisePdsDTMEqui.pft": "no known terrain format",
    "pds/isis/MroHirisePdsDTMPolar.pft": "no known terrain format",
    "shapes/itokawa/25143itokawa_ostro_radar.lbl": "GDAL cannot read it",
}
OTHER_FORMATS = {".md", ".urdf", ".bin", ".face", ".node", ".mesh", ".csv", ".7z"}


def files() -> list[str]:
    """Every file of the four folders; none where they are not there."""
    if not DATA.is_dir():
        return []
    found = [path for part in ("dem", "meshes", "pds", "shapes") for path in (DATA / part).rglob("*") if path.is_file()]
    return sorted(str(path.relative_to(DATA)) for path in found)


def mesh_of(name: str, **options) -> MeshData:
    """A mesh among the data."""
    mesh = load_terrain_file(DATA / name, mesh=MeshReading(**options))
    assert isinstance(mesh, MeshData)
    return mesh


@pytest.mark.parametrize("name", files())
def test_every_file_is_read_or_refused_with_a_reason(name):
    is_other = Path(name).suffix in OTHER_FORMATS or name.endswith("solution_density1.txt")
    reason = "no known terrain format" if is_other else REFUSED.get(name)
    if reason is None:
        terrain = load_terrain_file(DATA / name)
        assert isinstance(terrain, Raster | MeshData)
        return
    with pytest.raises(InputError, match=reason) as caught:
        load_terrain_file(DATA / name)
    assert name in str(caught.value)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    n_vertices, n_facets, (volume, half_digit), extent = SHAPES[name]
    # The seam of the Thomas model is written twice, with last digits that differ (1e-8 km).
    mesh = mesh_of(f"shapes/{name}", merge_distance=1e-8 if "thomas" in name else 0.0)
    report = winding(mesh)
    assert (len(mesh.vertices), len(mesh.facets), mesh.n_degenerate) == (n_vertices, n_facets, 0)
    assert report.is_closed
    assert report.is_consistent
    assert report.n_bodies == 1
    assert len(mesh.vertices) - 1.5 * len(mesh.facets) + len(mesh.facets) == 2
    assert report.volume == pytest.approx(volume, abs=half_digit)
    if extent is not None:
        half = 5e-4 if max(extent) < 2.0 else 5e-3
        # 1.001: an extent halfway between two digits may be printed either way.
        assert np.ptp(mesh.bounds, axis=0) == pytest.approx(extent, abs=1.001 * half)


@pytest.mark.parametrize("name", [name for name in SHAPES if name.endswith(".obj")])
def test_our_obj_reader_agrees_with_trimesh(name):
    theirs = trimesh.load_mesh(DATA / "shapes" / name, process=False, skip_materials=True)
    ours = read_obj(DATA / "shapes" / name, merge_distance=None)
    assert np.array_equal(ours.vertices[ours.facets], theirs.vertices[theirs.faces])


# File: vertices in it, and those that are left.
DUPLICATED = {
    "itokawa/ItokawaHayabusa_basilisk.obj": (25350, 24578),
    "ryugu/ryugu_test.obj": (2976, 2968),
    "bennu/g_12570mm_alt_obj_0000n00000_v014.obj": (6534, 6146),
    "eros/Eros_ver64q.vtk": (25350, 24578),
    "phobos/phobos_thomas_cosmographia.obj": (16469, 16022),
}


@pytest.mark.parametrize("name", DUPLICATED)
def test_duplicated_vertices_are_found(name):
    mesh = mesh_of(f"shapes/{name}", merge_distance=1e-8 if "thomas" in name else 0.0)
    n_before, n_after = DUPLICATED[name]
    assert (mesh.n_merged + mesh.n_unused, len(mesh.vertices)) == (n_before - n_after, n_after)


def test_a_ladder_of_resolutions():
    meshes = [mesh_of(f"shapes/itokawa/itokawa_{step}_sbgat.obj") for step in (8, 16, 32)]
    # "0.55-0.56 long", and each finer one nearer to the finest (0.0177856 km3)
    assert [round(float(np.ptp(mesh.bounds, axis=0)[0]), 2) for mesh in meshes] == [0.55, 0.56, 0.56]
    missing = [0.0177856 - (winding(mesh).volume or 0.0) for mesh in meshes]
    assert missing[0] > 2.5 * missing[1] > 0.0 and missing[1] > 1.5 * missing[2] > 0.0


def test_eros_is_counted_from_zero_and_nothing_else():
    path = DATA / "shapes/eros/eros007790.tab"
    assert "vertices from 0" in read_shape_table(path).source
    with pytest.raises(InputError, match="does not fit index_base 1"):
        read_shape_table(path, index_base=1)


def test_kilometres_become_metres():
    in_km = winding(mesh_of("shapes/bennu/g_12570mm_alt_obj_0000n00000_v014.obj")).volume
    in_m = winding(mesh_of("shapes/bennu/g_12570mm_alt_obj_0000n00000_v014.obj", placement=Placement(1000.0))).volume
    assert in_km is not None
    assert in_m == pytest.approx(1e9 * in_km, rel=1e-12)


@pytest.mark.parametrize("name", MESHES)
def test_meshes(name):
    n_facets, n_bodies, n_closed = MESHES[name]
    mesh = mesh_of(f"meshes/{name}")
    report = winding(mesh)
    assert n_facets is None or len(mesh.facets) + mesh.n_degenerate == n_facets
    assert n_bodies is None or report.n_bodies == n_bodies
    assert n_closed is None or report.n_closed_bodies == n_closed
    assert report.volume is None or report.volume > 0.0


def test_dingo_gap_is_a_sheet_of_tiles_that_faces_up():
    mesh = mesh_of("meshes/terrain/dingo_gap_msl_L4_enu.ply")
    # "259 x 258 m"
    assert sorted(np.ptp(mesh.bounds, axis=0)[:2]) == pytest.approx([258.0, 259.0], abs=0.5)
    report = winding(mesh)
    assert report.upward_share == 1.0
    assert not report.is_closed
    # Tiles overlap at their rims; turning facets there would make holes in the ground.
    assert report.n_reversed_edges > 0
    assert np.array_equal(oriented(mesh).facets, mesh.facets)


def test_perseverance_wheels():
    wheels = sorted((DATA / "meshes/rover/m2020/meshes").glob("Wheel_*.gltf"))
    assert len(wheels) == 6
    for wheel in wheels:
        size = np.ptp(mesh_of(str(wheel.relative_to(DATA))).bounds, axis=0)
        # "wheel dia 0.51 m", in the plane of x and z (y is the axle)
        assert size[[0, 2]] == pytest.approx([0.51, 0.51], abs=5e-3)


def test_perseverance_parts():
    parts = sorted((DATA / "meshes/rover/m2020/meshes").glob("*.gltf"))
    counts = [len(mesh_of(str(part.relative_to(DATA))).facets) for part in parts]
    # "15 meshes, 2.8k-10k f, metres": the rover is 3 m long
    assert (len(parts), round(min(counts) / 1e3, 1), round(max(counts) / 1e3)) == (15, 2.8, 10)
    assert max(np.ptp(mesh_of(str(part.relative_to(DATA))).bounds, axis=0).max() for part in parts) < 3.0


def test_ac3d_encodings_give_one_mesh():
    plain, wide, marked = (
        mesh_of(f"meshes/ac3d/assimp/SphereWithLight{kind}.ac") for kind in ("", "_UTF16LE", "_UTF8BOM")
    )
    for other in (wide, marked):
        assert np.array_equal(plain.vertices[plain.facets], other.vertices[other.facets])
    assert winding(plain).is_closed
    assert winding(mesh_of("meshes/ac3d/assimp/sample_subdiv.ac")).is_closed
    assert mesh_of("meshes/ac3d/assimp/doubleSidedFace.ac").n_two_sided == 2


# File: rows, columns, pixel on the map [m], heights from and to, half their last digit [m]. The highest point of the
# 0.1 m map of Dingo Gap is 3.0848 m, which was rounded up to 3.09.
DEMS = {
    GALE: (337, 348, 1.0, -4472.67, -4437.88, 5e-3),
    "dem/mars/dingo_gap_msl_60m_0p1m.tif": (601, 601, 0.1, -2.35, 3.09, 6e-3),
    "dem/mars/dingo_gap_msl_248m_0p5m.tif": (497, 497, 0.5, -5.25, 5.09, 5e-3),
    "dem/moon/gz_dem_moon.tif": (33, 33, 2.43, -212.3, -205.4, 0.05),
    "dem/analog/marsyard2021_terrain_hm.tif": (500, 500, 0.094, -0.98, 5.59, 5e-3),
    "dem/mars/Ares4_Marth_Crater_3557E_126N_ngate_03_lowres.cub": (23, 8, 1000.0, -1884.0, -1324.0, 0.5),
}


@pytest.mark.parametrize("name", DEMS)
def test_elevation_maps(name):
    n_rows, n_columns, pixel, lowest, highest, half_digit = DEMS[name]
    raster = read_raster(DATA / name, reading=RasterReading(metres="map"))
    assert raster.heights.shape == (n_rows, n_columns)
    assert (raster.spacing_x, raster.spacing_y) == pytest.approx((pixel, pixel), rel=5e-3)
    assert np.nanmin(raster.heights) == pytest.approx(lowest, abs=half_digit)
    assert np.nanmax(raster.heights) == pytest.approx(highest, abs=half_digit)


def test_gale_lies_where_it_should():
    raster = read_raster(DATA / GALE, SiteLatLon(-4.6668, 137.3702), half_width=20.0)
    assert raster.site.latitude == pytest.approx(np.radians(-4.6668), abs=1e-12)
    assert raster.site.longitude == pytest.approx(np.radians(137.3702), abs=1e-12)
    # The printed coordinates are those of the middle of the map, to half of 1e-4 degree: 3 m.
    assert (raster.site.row, raster.site.column) == pytest.approx((168.0, 173.5), abs=3.0)
    # East metres of a map that is true at the equator are longer than the ground's by the cosine.
    assert raster.spacing_x == pytest.approx(np.cos(np.radians(-4.6668)), rel=1e-9)
    assert raster.spacing_y == 1.0
    same = read_raster(DATA / GALE, SiteLatLon(-4.6668, 137.3702 - 360.0), half_width=20.0)
    assert np.array_equal(same.heights, raster.heights)


def test_gale_as_geotiff_and_as_pds3_differ_in_15_holes_only():
    tiff, pds = read_raster(DATA / GALE), read_raster(DATA / FIXTURE)
    assert (tiff.n_holes, pds.n_holes) == (0, 15)
    is_hole = np.isnan(pds.heights)
    assert np.array_equal(tiff.heights[~is_hole], pds.heights[~is_hole])
    for name in ("x_first", "y_first", "spacing_x", "spacing_y", "window", "site"):
        assert getattr(tiff, name) == getattr(pds, name)
    # The holes are where the file holds 0xFF7FFFFB, and nowhere else.
    raw = (DATA / FIXTURE).read_bytes()
    pixels = np.frombuffer(raw[-337 * 348 * 4 :], "<u4").reshape(337, 348)
    assert np.array_equal(pixels[::-1] == 0xFF7FFFFB, is_hole)


def test_a_window_of_gale_is_a_part_of_it():
    whole = read_raster(DATA / GALE)
    part = read_raster(DATA / GALE, SitePixel(100, 50), half_width=10.0)
    row, column = part.file_pixel(0, 0)
    assert np.array_equal(
        part.heights, whole.heights[337 - 1 - row :, column:][: part.heights.shape[0], : part.heights.shape[1]]
    )


def test_isis_cubes():
    cube = read_raster(DATA / "dem/mars/Ares4_Marth_Crater_3557E_126N_ngate_03_lowres.cub")
    # "3557E_126N": 355.7 east, 12.6 north, of pixels of a kilometre (0.017 degree)
    assert np.degrees([cube.site.latitude, cube.site.longitude]) == pytest.approx([12.6, -4.3], abs=0.1)
    assert cube.n_holes == 76
    mola = read_raster(DATA / "dem/mars/mola_compressed_prep.cub", reading=RasterReading(metres="map"))
    assert mola.heights.shape == (11, 21)
    # int16 with an offset of 3396000 m: radii, of a planet with 3376 km at the poles and 21 km mountains
    assert 3.37e6 < np.nanmin(mola.heights) < np.nanmax(mola.heights) < 3.42e6
    assert np.isnan(mola.heights).sum() == 21
    assert any("look like radii; give height_offset = -3396190" in note for note in mola.notes)


def test_a_truncated_image_with_detached_label_is_read_where_it_is_whole():
    # 10000 bytes are three rows and a half of 1440 pixels of two bytes; row 1 lies 89.6 degrees north.
    raster = read_raster(DATA / "pds/gdal/LDEM_4.IMG", SitePixel(1, 700), half_width=7000.0)
    assert raster.heights.shape[0] == 3
    assert raster.site.latitude == pytest.approx(np.radians(89.625), abs=1e-9)
    # Radii in half metres above 1737400 m; the north pole of the Moon lies within 3 km of the sphere.
    assert np.abs(raster.heights - 1737400.0).max() < 3000.0
    assert (raster.heights * 2.0 == np.round(raster.heights * 2.0)).all()


def test_a_bare_crop_with_its_spacing():
    raster = read_npy(DATA / "dem/mars/hirise_DTEEC_010228_1490_crop_1m.npy", reading=SPACING)
    assert raster.heights.shape == (120, 70)
    assert (raster.heights.min(), raster.heights.max()) == pytest.approx((753.25, 792.32), abs=5e-3)
