"""Air over height: what a kernel asks for at an altitude, one file per model.

`model` is the contract, `from_scenario` chooses and fills, `perturbation` lays dispersed profiles and wind over
any model. Models hold numbers and Warp functions only; files are read by `table_file` and completed by
`columns`.
"""
