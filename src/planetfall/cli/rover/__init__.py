"""The verbs of `planetfall rover`, one file each; `verbs.py` declares their options."""
