"""Datasets are written as xarray writes them, whoever made them."""

import numpy as np
import pytest
import xarray as xr

from planetfall.record.files.netcdf import write_netcdf
from planetfall.record.variables.attributes import history, name_coordinates, variable


def dataset(**more) -> xr.Dataset:
    time = np.linspace(0.0, 1.0, 3)
    return xr.Dataset(
        {
            "position": history("m", "centre of mass", "L", ("axis",), np.arange(9.0).reshape(3, 3)[:, ::-1]),
            "single": history("m", "of half the size", "L", (), np.array([1.5, np.nan, -0.0], dtype=np.float32)),
            "mode": history("1", "0 none, 1 static", "", ("point",), np.zeros((3, 2), dtype=np.int8)),
            "count": variable("axis", np.array([3, -2, 1], dtype=np.int32), "1", "a count"),
            **more,
        },
        coords={
            "time": variable("time", time, "s", "time"),
            **name_coordinates(axis="xyz", point=["front", "rear"], case=["a", "ö ü"]),
        },
        attrs={"scenario": "made", "schema": 1},
    )


ADDED = {
    "nothing": {},
    "no points": {"leg": ("leg", np.zeros(0)), "gap": (("time", "leg"), np.zeros((3, 0)))},
    "yes and no": {"is_lit": ("time", np.array([True, False, True]))},
    "a date": {"date": ("time", np.array(["2012-08-06", "2012-08-07", "2012-08-08"], dtype="datetime64[ns]"))},
    "one number": {"alone": ((), 3.5)},
    "a number as an attribute": {"scaled": ("time", np.zeros(3), {"limit": 2.0})},
}


@pytest.mark.parametrize("added", ADDED)
def test_as_xarray_writes_it(tmp_path, added):
    data = dataset(**ADDED[added])
    write_netcdf(data, tmp_path / "ours.nc")
    data.to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "ours.nc") as ours, xr.open_dataset(tmp_path / "theirs.nc") as theirs:
        xr.testing.assert_identical(ours, theirs)
        for name in theirs.variables:
            kept = {key: repr(value) for key, value in theirs[name].encoding.items() if key != "source"}
            assert {key: repr(value) for key, value in ours[name].encoding.items() if key != "source"} == kept
