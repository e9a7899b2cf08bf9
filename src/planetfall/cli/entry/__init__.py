"""The verbs of `planetfall entry`: what guidance through the air flies by. `verbs.py` has the options."""
