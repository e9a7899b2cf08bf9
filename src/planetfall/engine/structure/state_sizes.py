"""Sizes of the flat state vector, for those who read it without Warp (see `engine.structure.state_layout`)."""

BODY_SIZE = 13
"""Numbers per body: position, velocity, quaternion x y z w, angular velocity."""
JOINT_SIZE = 2
"""Numbers per joint in a body, such as that of an eccentric arm: its angle [rad] and speed [rad/s]."""
TETHERS, ENGINES, ARMS = "tethers", "engines", "eccentric arms"
"""Names of mechanisms whose numbers are read out of the state elsewhere."""
TETHER_SIZE = 4
"""Numbers per tether: length let out by its brake [m], work [J] of its damper and of its reel, and its status."""
TETHER_REST, TETHER_DAMPER, TETHER_REEL, TETHER_STATUS = 0, 1, 2, 3
ENGINE_SIZE = 2
"""Numbers per engine: its thrust and the thrust that is commanded [N]."""
ENGINE_THRUST, ENGINE_COMMAND = 0, 1
