"""`[dispersions]`: which keys of a scenario are drawn, from which distributions, and how they hang together.

Draws themselves are made by `campaign`; here is what is drawn, and the check that it can be.
"""
