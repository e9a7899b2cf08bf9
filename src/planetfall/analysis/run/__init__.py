"""One run in numbers: its summary, how it came to rest or did not, and where its models were stretched.

Functions from a dataset and its scenario to plain values. What needs several runs is in `campaign`.
"""
