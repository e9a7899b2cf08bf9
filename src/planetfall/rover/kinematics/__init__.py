"""Where a rocker-bogie rover stands: linkage, stance on the ground, and the solvers that find it."""
