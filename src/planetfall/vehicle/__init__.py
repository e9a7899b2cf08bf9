"""What flies and lands: the state of a rigid body, and the forces that act on it beside gravity and ground."""
