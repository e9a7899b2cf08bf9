"""How results show themselves in a notebook, a terminal or a script: figures, cards, pages, progress.

What is shown is made by the layers below (`report`, `viewer`); here it is decided where it goes. The methods `plot`,
`view` and `report` of results (`record/shown.py`) find this package by name.
"""
