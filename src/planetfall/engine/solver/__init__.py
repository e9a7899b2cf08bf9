"""Integrators, and what is judged between their steps: RK4, Dormand-Prince with error control, coasting, termination.

Event location is in `events`. What may enter works for any bodies, laws and ground.
"""
