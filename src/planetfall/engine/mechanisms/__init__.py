"""What adds states, forces or mass to bodies: `chain` calls a hook of all mechanisms, `registry` knows their kinds.

Forces are here. What acts through the air is in `air`, what joins bodies in `connections`, what moves or burns within
a body in `inside`. What may enter is a mechanism with its record: its numbers in the state, its events, its variables.
The formulas, such as what a parachute pulls with, are in `planetfall.vehicle`; what all of them add up to is in
`engine.body`.
"""
