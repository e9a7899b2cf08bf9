"""What differs between the runs of a campaign: numbers drawn by run, and the scenario and the start they make.

Nothing in here is simulated or written to a folder.
"""
