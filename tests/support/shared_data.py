"""Where the real terrain files lie that are not part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("PLANETFALL_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
"""`../shared/data` beside the repository, or where the variable PLANETFALL_SHARED_DATA points."""
