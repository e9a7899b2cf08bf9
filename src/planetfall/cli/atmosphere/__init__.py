"""The verbs of `planetfall atmosphere`: air over height, as a table and as a picture. `verbs.py` has the options."""
