"""The equations of motion of all bodies, their energy, and rotation without torque.

What may enter is the slope of the state at one instant; how steps are made of slopes is `solver`'s.
"""
