"""Ground from triangles: a tree of our own, rays, and nearest points that each contact point remembers."""
