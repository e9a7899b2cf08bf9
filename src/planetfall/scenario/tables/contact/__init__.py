"""`[contact]`: the keys of each contact law."""
