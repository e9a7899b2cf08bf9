"""Sensors and flight software between steps: when sensors are sampled, and how commands enter the state."""
