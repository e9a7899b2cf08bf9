"""A campaign with runs that did not come to an end of their own says how to look at them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from planetfall.cli.landing.montecarlo import print_look
from planetfall.record.rows import OUTCOME, RUN


def test_each_undecided_outcome_names_the_next_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs").mkdir()
    ended = [["settled", "settled"], ["timed_out", "step_refused", "timed_out"]]
    for i, names in enumerate(ended):
        table = pa.table({RUN: [2 * i + j for j in range(len(names))], OUTCOME: pa.array(names).dictionary_encode()})
        pq.write_table(table, tmp_path / "runs" / f"shard-{i}.parquet")
    counts = {"settled": {"count": 2}, "timed_out": {"count": 2}, "step_refused": {"count": 1}}
    print_look(counts, tmp_path)
    said = capsys.readouterr().out.splitlines()
    again = f"Look     planetfall replay {tmp_path}"
    assert said == [
        f"{again} --timed-out    tells what kept those runs from rest, and what would count as rest",
        f"{again} 3    tells why it ended as step_refused, and what to change",
    ]


def test_nothing_is_said_where_all_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_look({"settled": {"count": 2}, "overturned": {"count": 1}}, tmp_path)
    assert capsys.readouterr().out == ""
