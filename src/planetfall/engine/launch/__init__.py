"""Driving a kernel from the host: arrays on a device, sizes of launches, live runs, controllers in Python, sensor logs.

What may enter happens between launches; nothing here is compiled into a kernel.
"""
