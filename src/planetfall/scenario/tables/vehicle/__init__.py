"""`[vehicle]` and what belongs to it: mass, points, shape, flywheels, arms, engines, tethers, forces, companions."""
