"""A drive along a path: poses, forces and work from place to place."""
