"""One body with all of its mechanisms: mass, environment, the forces on it off the ground, how it yields to them.

What may enter is about one body at one instant; all bodies, with contact, are `motion`'s.
"""
