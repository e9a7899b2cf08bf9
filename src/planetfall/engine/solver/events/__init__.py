"""Locating events inside a trial step: the first instant at which a contact point changes its mode.

`broad_phase_adaptive` lists the points that can touch at all, `point_scan` finds where they stand, `mode_change`
brackets the instant.
"""
