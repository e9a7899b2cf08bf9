"""What is checked before a run: longest steps, starts in the ground, impacts, lines of sight, flywheels.

Each check ends in an `InputError` with advice, or in a number that a user is told. None runs inside the loop.
"""
