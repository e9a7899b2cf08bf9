"""What adds states, forces or mass to bodies: forces, flywheels, eccentric arms, tethers, engines with tanks.

Each mechanism has its kernel functions in one file; `applied_forces` adds them all up for a body off the ground.
"""
