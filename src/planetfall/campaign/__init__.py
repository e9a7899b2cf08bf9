"""Monte Carlo campaigns: what is drawn, how it is run in shards, where it is kept, when it is enough.

`campaign.py` carries one out by a plan, in a folder, until a stop rule is met. `inputs` holds what differs between the
runs, `workers` what simulates them.
"""
