"""How far the numbers of a run can be trusted: the finer run, the differences, and the digits that are true."""
