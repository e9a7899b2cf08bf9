"""Putting several terrains together on a device."""

from functools import partial, reduce

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.combined import combined
from planetfall.world.terrain.surface import Surface

MAX_FACETS = 2**31 - 1
"""Facets that can be told apart: their index is a 32-bit number."""


def combined_surface(base: Surface, *added: Surface, fillet: float = 0.0) -> Surface:
    """The union of terrains on one device; the base decides where the map ends and where it has holes.

    Where the gaps of two parts differ by less than `fillet` [m] both push.

    The result keeps what its parts point to, and in `facts` their notes, one after the other, and the facts of the
    `parts`, each with the index of its first facet.
    """
    return reduce(partial(_union, fillet=fillet), added, base)


def _union(base: Surface, added: Surface, fillet: float) -> Surface:
    if added.device != base.device:
        raise InputError("terrain.added", f"lies on {added.device}, the base on {base.device}", "one device for all")
    n_facets = base.n_facets + added.n_facets
    if n_facets > MAX_FACETS:
        raise InputError("terrain.added", f"{n_facets} facets in all", f"at most {MAX_FACETS}", "read a smaller window")
    model = combined(base.model, added.model, fillet > 0.0)
    params = model.params()
    params.base, params.added, params.first_added = base.params, added.params, base.n_facets
    params.fillet = fillet
    boxes = [part.box for part in (base, added) if part.box is not None]
    parts = base.facts.get("parts") or ({**base.facts, "first_facet": 0},)
    return Surface(
        model,
        params,
        base.device,
        kept=(*base.kept, *added.kept),
        facts={
            "parts": (*parts, {**added.facts, "first_facet": base.n_facets}),
            "notes": (*base.facts.get("notes", ()), *added.facts.get("notes", ())),
        },
        n_facets=n_facets,
        box=np.array([np.min(boxes, axis=(0, 1)), np.max(boxes, axis=(0, 1))]) if boxes else None,
        parts=(*(base.parts or (base,)), added),
    )
