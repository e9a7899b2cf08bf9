"""The distributed law's friction and rolling resistance of whole bodies, called from NumPy, and what bounds them."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.contact.distributed import distributed_params, distributed_resultant
from planetfall.contact.model import PointResultant, ResultantForce

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

PARAMS = distributed_params(1)
_rigid = distributed_resultant(PARAMS, yields=False, is_diagonal=False)
_yielding = distributed_resultant(PARAMS, yields=True, is_diagonal=False)


@wp.kernel
def _gather(
    law: PARAMS, bodies: wp.array(dtype=PointResultant), rigid_out: wp.array(dtype=ResultantForce),
    yielding_out: wp.array(dtype=ResultantForce),
):  # fmt: skip
    i = wp.tid()
    rigid_out[i] = _rigid(law, bodies[i])
    yielding_out[i] = _yielding(law, bodies[i])


def gathered(law: dict[str, float], bodies: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """What the law says of rigid bodies and of those with something that yields, rows as in `ResultantForce`.

    Args:
        law: Numbers of the law as its parameter struct has them, without the spring.
        bodies: What they feel, by the names of `PointResultant`, [body] or more.
    """
    start_warp()
    params: Any = PARAMS()
    for name, value in law.items():
        setattr(params, name, value)
    rows = np.zeros(len(bodies["load"]), dtype=PointResultant.numpy_dtype())
    for name, values in bodies.items():
        rows[name] = values
    outs = [wp.zeros(len(rows), dtype=ResultantForce, device="cpu") for _ in range(2)]
    wp.launch(
        _gather, len(rows), inputs=[params, wp.array(rows, dtype=PointResultant, device="cpu"), *outs], device="cpu"
    )
    return outs[0].numpy(), outs[1].numpy()


def largest_return(limit: float, static_limit: float) -> float:
    """Most power that a blend of slip and stick gives back, over the speed v* (or rate omega*) up to which it blends.

    At s = v/v* slip takes s (2 - s) of its `limit`, and stick, capped at `static_limit`, gives no more than (1 - s)^2
    of that: s ((1 - s)^2 (limit + static_limit) - limit), largest where 3 s^2 - 4 s + 1 = limit/(limit + static_limit).
    """
    s = (2.0 - np.sqrt(1.0 + 3.0 * limit / (limit + static_limit))) / 3.0
    return float(s * ((1.0 - s) ** 2 * (limit + static_limit) - limit))
