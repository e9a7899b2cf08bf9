"""Spoiled files of every format: a clear InputError or a sound result, never a crash, a hang or a flood of memory.

Small valid files are changed in bytes, in the numbers of their text, by cutting and by doubling. Address space is
limited while a file is read, so that an allocation by a number in a header fails at once instead of filling memory.
"""

import json
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planetfall.errors import InputError
from planetfall.world.terrain.readers.load import MeshReading, load_terrain_file
from planetfall.world.terrain.readers.mesh_data import MeshData
from planetfall.world.terrain.readers.raster import Raster, RasterReading
from planetfall.world.terrain.readers.winding import winding
from support import terrain_files as made

resource = pytest.importorskip("resource", reason="memory cannot be limited on this system")

HEIGHTS = np.arange(20.0, dtype=np.float32).reshape(5, 4)
# Numbers that hurt: signs, limits of integer types, sizes that cannot be, and what is no number.
NUMBERS = [0, -1, 1, 2, 7, 255, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63, 10**30, 1e308, -1e-320, 0.5]
WORDS = [b"nan", b"inf", b"-inf", b"x", b"", b"#", b"1e999", b"\0", b"\xff\xfe", b"16#FF7FFFFB#"]


@cache
def samples() -> dict[str, bytes]:
    """A valid file of every format, by the name it is saved under."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        plain = made.write_tiff(path, HEIGHTS, (1e5, 2e5), (10.0, 10.0), made.EQUIRECTANGULAR, nodata=-1.0).read_bytes()
        options = {
            "tiled": True,
            "blockxsize": 16,
            "blockysize": 16,
            "compress": "deflate",
            "scale": 0.5,
            "offset": 1.0,
        }
        tiled = made.write_tiff(path, HEIGHTS, (10.0, 20.0), (0.1, 0.1), made.MARS, **options).read_bytes()
        np.save(Path(folder) / "a.npy", HEIGHTS)
        array = (Path(folder) / "a.npy").read_bytes()
    texts = {
        "grid.asc": made.arc_ascii(HEIGHTS.tolist()),
        "text.stl": made.stl_text(),
        "a.obj": made.obj(),
        "a.off": made.off(),
        "a.gltf": made.gltf(),
        "a.ac": made.ac3d(
            made.ac3d_object(place="loc 1 2 3\ndata 3\nabc\n"),
            made.ac3d_object(place="rot 0 -1 0 1 0 0 0 0 1\n", kids="kids 1\nOBJECT a\nkids 0\n"),
        ),
        "rows.tab": made.shape_table(),
        "counted.tab": made.counted_table(),
    }
    return {name: text.encode() for name, text in texts.items()} | {
        "plain.tif": plain,
        "tiled.tif": tiled,
        "a.npy": array,
        "real.img": made.pds3(HEIGHTS),
        "whole.img": made.pds3(HEIGHTS.astype(np.int16)),
        "binary.stl": made.stl_binary(),
        "text.ply": made.ply(),
        "little.ply": made.ply(form="binary_little_endian", kind="float"),
        "big.ply": made.ply(form="binary_big_endian"),
        "a.glb": made.glb(),
        "text.vtk": made.vtk(),
        "binary.vtk": made.vtk(is_text=False),
        "wide.ac": ("\ufeff" + made.ac3d()).encode("utf-16-le"),
    }


@contextmanager
def memory_limit(extra: int = 1 << 30) -> Iterator[None]:
    """At most that much more address space than now [byte]; does nothing where the system cannot limit it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + extra, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def check(name: str, data: bytes) -> None:
    """Read a spoiled file: an InputError that names the file, or a sound terrain."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            with memory_limit(), warnings.catch_warnings():
                warnings.simplefilter("error")
                terrain = load_terrain_file(path, raster=reading(name), mesh=MeshReading(index_base=None))
        except InputError as error:
            assert name in str(error)
            return
    if isinstance(terrain, Raster):
        assert min(terrain.heights.shape) >= 2
        assert np.isfinite([terrain.x_first, terrain.y_first]).all()
        assert terrain.spacing_x > 0.0
        assert terrain.spacing_y > 0.0
        assert not np.isinf(terrain.heights).any()
        assert terrain.n_holes == np.isnan(terrain.heights).sum() < terrain.heights.size
    else:
        assert isinstance(terrain, MeshData)
        assert np.isfinite(terrain.vertices).all()
        assert 0 <= terrain.facets.min() <= terrain.facets.max() < len(terrain.vertices)
        assert winding(terrain).area > 0.0


def reading(name: str) -> RasterReading:
    """What a bare array needs."""
    return RasterReading(spacing=1.0) if name.endswith(".npy") else RasterReading()


def spoiled_numbers(data: bytes, random) -> bytes:
    """A text with one or two of its numbers replaced."""
    for _ in range(random.randint(1, 2)):
        places = [match.span() for match in re.finditer(rb"-?\d+(\.\d+)?", data)]
        if places:
            start, end = random.choice(places)
            word = random.choice(WORDS) if random.random() < 0.3 else str(random.choice(NUMBERS)).encode()
            data = data[:start] + word + data[end:]
    return data


def spoiled_bytes(data: bytes, random) -> bytes:
    """Bytes with up to four of them, or a run of four (a count), replaced."""
    changed = bytearray(data)
    # Headers are small and matter more.
    reach = len(changed) if random.random() < 0.5 else min(len(changed), 400)
    for _ in range(random.randint(1, 4)):
        i = random.randrange(reach)
        if random.random() < 0.3:
            width = random.choice((2, 4, 8))
            number = random.choice([n for n in NUMBERS if isinstance(n, int)]) % (1 << (8 * width))
            changed[i : i + width] = number.to_bytes(width, random.choice(("little", "big")))
        else:
            changed[i] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return bytes(changed)


def spoiled_size(data: bytes, random) -> bytes:
    """Bytes cut off, taken out, put in or repeated."""
    a, b = sorted(random.randrange(len(data) + 1) for _ in range(2))
    return random.choice((data[:a], data[a:], data[:a] + data[b:], data[:b] + data[a:], data[:a] + data + data[a:]))


CHANGES = (spoiled_numbers, spoiled_bytes, spoiled_size)
PATIENT = settings(
    max_examples=60, deadline=20_000, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)


# rasterio cannot log a message of GDAL that quotes bytes of the file; it says so on stderr and goes on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", sorted(samples()))
@PATIENT
@given(random=st.randoms(use_true_random=True), change=st.sampled_from(CHANGES))
def test_spoiled_files(name, random, change):
    check(name, change(samples()[name], random))


@pytest.mark.parametrize("name", sorted(samples()))
def test_the_samples_themselves_are_read(name, tmp_path):
    (tmp_path / name).write_bytes(samples()[name])
    load_terrain_file(tmp_path / name, raster=reading(name))


LEAVES = st.one_of(st.none(), st.booleans(), st.sampled_from(NUMBERS), st.text(max_size=5), st.just([]), st.just({}))


@PATIENT
@given(data=st.data())
def test_spoiled_gltf_documents(data):
    """A value of the document, of any depth, is replaced or removed."""
    document, content = made.gltf_parts()
    parents = [(document, key) for key in document]
    for holder, key in parents:
        inner = holder[key]
        keys = inner.keys() if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else ()
        parents += [(inner, inner_key) for inner_key in keys]
    holder, key = data.draw(st.sampled_from(range(len(parents))).map(parents.__getitem__))
    value = data.draw(LEAVES)
    if value is None and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = value
    try:
        json.dumps(document)
    except (TypeError, ValueError):
        return
    check("a.glb", made.glb(document, content))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@PATIENT
@given(noise=st.binary(max_size=300), name=st.sampled_from(sorted(samples())))
def test_noise_after_the_first_bytes(noise, name):
    check(name, samples()[name][:4] + noise)
