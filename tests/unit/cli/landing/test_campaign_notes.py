"""What a campaign notes of some of its runs, in the singular and the plural."""

from __future__ import annotations

import pytest

from planetfall.cli.landing.montecarlo import print_run_notes


@pytest.mark.parametrize(("n", "runs"), [(1, "1 run"), (2, "2 runs")])
def test_one_run_is_no_runs(n: int, runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_run_notes({"n": n, "largest": 4e-8}, n)
    assert capsys.readouterr().out == (
        f"\nNote: {runs} crept along a jump of the ground's force, in parts with a tolerance of up to 4e-08 "
        "(out.loosest_tolerance).\n"
        f"\nNote: {runs} began with a point already in the ground.\n"
    )


def test_nothing_to_note(capsys: pytest.CaptureFixture[str]) -> None:
    print_run_notes(None, 0)
    assert capsys.readouterr().out == ""
