"""The verbs of `planetfall terrain`: what a file holds, as text and picture, and terrain made from a recipe.

`verbs.py` declares their options.
"""
