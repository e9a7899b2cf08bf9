"""Where a wheel touches the ground: a disc on maps and meshes, and the contact frame there."""
