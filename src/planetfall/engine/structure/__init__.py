"""What is simulated: the assembly of bodies, points and models, and where each number stands in the state vector.

The lowest layer of the engine. What may enter is a description that kernels are compiled for, without any motion.
"""
