"""Planning hops: the target, the hopper, and the search for a wheel speed and a heading."""
