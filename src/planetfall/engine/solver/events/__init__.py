"""Locating events inside a trial step, of contact points and of mechanisms; it is then taken anew to the first one.

`contact_events` finds when a contact point changes its mode: `broad_phase_adaptive` lists the points that can touch at
all, `point_scan` finds where they stand, `search_tasks` says what to look for next. `anchored_contact_events` does so
for an anchored law, `mechanism_events` for tethers, tanks, parachutes, separations and the end of a descent.

RK4 locates nothing: `engine.contact.monitors` notes touchdown and lift-off between its fixed steps.
"""
