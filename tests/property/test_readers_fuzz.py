"""Spoiled files of every format: a clear InputError or a sound result, never a crash, a hang or a flood of memory.

Small valid files are changed in bytes, in the numbers of their text, by cutting and by doubling. Address space is
limited while a file is read, so that an allocation by a number in a header fails at once instead of filling memory.
"""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planetfall.errors import InputError
from planetfall.world.terrain.readers.load import MeshReading, load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.meshes.winding import winding
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from support import terrain_files as made
from support.spoiled_files import CHANGES, NUMBERS
from support.terrain_samples import samples

resource = pytest.importorskip("resource", reason="memory cannot be limited on this system")


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


PATIENT = settings(
    max_examples=60, deadline=20_000, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)


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


@PATIENT
@given(noise=st.binary(max_size=300), name=st.sampled_from(sorted(samples())))
def test_noise_after_the_first_bytes(noise, name):
    check(name, samples()[name][:4] + noise)
