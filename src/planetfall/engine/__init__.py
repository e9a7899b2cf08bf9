"""The machine: state layout, kernel assembly, integrators, events, and the loop that drives them."""
