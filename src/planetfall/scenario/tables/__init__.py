"""The tables of a scenario file: one frozen, validated class for each, with unit and meaning of every key.

What may enter is what a user can write into a file, and what can be checked without computing anything.
"""
