"""What is checked before a run: longest steps, starts in the ground, impacts, lines of sight, flywheels.

Each check ends in an `InputError` with advice, or in a number that is shown to the user. None runs inside the loop.
"""
