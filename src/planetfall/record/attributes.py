"""What every variable of a dataset says of itself."""


def variable_attrs(unit: str, meaning: str, frame: str) -> dict[str, str]:
    """Attributes of a variable; a quantity without direction has no frame."""
    return {"units": unit, "long_name": meaning, "frame": frame or "none"}
