"""What comes out: runs, drives and campaigns as labelled arrays, and the folders they are kept in.

Here are the results that users hold (`Trajectory`, `Ensemble`), and how their numbers are called; `variables` makes
what a dataset of a run has, `files` what a folder has.
"""
