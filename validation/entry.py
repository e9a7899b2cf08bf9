"""Flights through air by AMAT and JSBSim beside ours (`benchmarks/entry_peers.py`): prints numbers by name, as JSON.

    python validation/entry.py FOLDER [--amat PYTHON] [--jsbsim PYTHON]

The air that AMAT and Planetfall both read is written into FOLDER: that of the model `mars`, each 1000 m.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from planetfall.scenario.tables.world.atmosphere import AtmosphereMars
from planetfall.world.atmosphere.from_scenario import air_at

BESIDE = Path(__file__).parent.parent / "benchmarks" / "entry_peers.py"

COLUMNS = "height [m], temperature [K], pressure [Pa], density [kg/m3], speed of sound [m/s]"


def write_air(file: Path) -> None:
    """Height [m], temperature [K], pressure [Pa] and density [kg/m^3], as AMAT's own tables are."""
    heights = np.arange(0.0, 131e3, 1000.0)
    air = air_at(AtmosphereMars(model="mars"), heights)
    rows = np.column_stack([heights, air["temperature"], air["pressure"], air["density"], air["sound_speed"]])
    np.savetxt(file, rows, fmt="%.9g", header=COLUMNS)


def main() -> None:
    """Runs beside the peers that are given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--amat")
    parser.add_argument("--jsbsim")
    options = parser.parse_args()
    words = [sys.executable, str(BESIDE)]
    if options.amat:
        write_air(options.folder / "mars-air.dat")
        words += ["--amat", options.amat, "--air", str(options.folder / "mars-air.dat")]
    if options.jsbsim:
        words += ["--jsbsim", options.jsbsim]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "it said nothing")
    print(json.dumps({name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}))


if __name__ == "__main__":
    main()
