"""The adaptive method on a GPU: a step split into kernels, work queues, a scheduler, the last runs taken over by a CPU.

No formula lives here. A run has the same bits as in the one kernel that a CPU uses.
"""
