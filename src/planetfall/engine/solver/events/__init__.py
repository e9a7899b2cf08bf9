"""Locating events inside a trial step: the first instant at which a contact point changes its mode.

`candidates` are the points that can touch at all, `point_scan` finds where they stand, `mode_change` brackets when.
"""
