"""The same small gravity field in three formats."""

GM, RADIUS = 4.5e5, 16000.0
TERMS = {(2, 0): (-0.05, 0.0), (2, 1): (1e-6, -2e-6), (2, 2): (0.08, -0.03), (3, 0): (-1e-3, 0.0)}
TERMS |= {(3, 1): (4e-3, 3e-3), (3, 2): (2e-3, -7e-4), (3, 3): (-1e-2, -1.2e-2)}


def sha(unit: float = 1e-3, kind: int = 1, terms: dict = TERMS) -> str:
    head = f"{RADIUS * unit:.6E}, {GM * unit**3:.12E}, 0.0, 3, 3, {kind}, 0.0, 0.0\n"
    return head + "".join(f" {n}, {m}, {c:.16E}, {s:.16E}, 0.0, 0.0\n" for (n, m), (c, s) in terms.items())


def cof() -> str:
    text = "COMMENT 1\nCCC  made\n" + f"POTFIELD 3 3  0 {GM:.14E} {RADIUS:.14E} {1.0:.14E}\r\n"
    for (n, m), (c, s) in TERMS.items():
        text += f"RECOEF  {n:3d}{m:3d}   {c:21.14E}" + (f"{s:21.14E}" if m else "") + "\n"
    return text + "END\n"


def icgem(extra: str = "", norm: str = "fully_normalized") -> str:
    head = "product_type gravity_field\nmodelname made\nearth_gravity_constant 4.5D+05\nradius 16000.0\n"
    head += f"max_degree 3\nerrors no\nnorm {norm}\nkey L M C S\nend_of_head ====\n"
    rows = {(0, 0): (1.0, 0.0), (1, 0): (0.0, 0.0), (1, 1): (0.0, 0.0), **TERMS}
    return head + "".join(f"gfc {n} {m} {c:.16E} {s:.16E}\n" for (n, m), (c, s) in rows.items()) + extra
