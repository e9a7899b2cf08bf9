"""What flight software knows: its estimate of the motion, made of readings alone, and its memory between calls."""
