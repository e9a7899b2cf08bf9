"""What changes along a run, and what is kept of it: the arrays of a batch, records, results.

What may enter is data, and the functions that write or read it; nothing that moves a body.
"""
