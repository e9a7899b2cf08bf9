"""What flies the vehicle: its sensors, and what is concluded from nothing but their readings.

Here is what every controller has to do with: readings, commands, engines to share a force among, controllers in Python.
From the bottom up: `sensors` and `detectors`; `navigation`; laws of `guidance` and of `entry`; a `sequence` of phases.
"""
