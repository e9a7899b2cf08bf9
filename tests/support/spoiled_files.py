"""Files spoiled in bytes, in the numbers of their text, by cutting and by doubling."""

from __future__ import annotations

import re
from random import Random

# Numbers that hurt: signs, limits of integer types, sizes that cannot be, and what is no number.
NUMBERS = [0, -1, 1, 2, 7, 255, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63, 10**30, 1e308, -1e-320, 0.5]
WORDS = [b"nan", b"inf", b"-inf", b"x", b"", b"#", b"1e999", b"\0", b"\xff\xfe", b"16#FF7FFFFB#"]


def spoiled_numbers(data: bytes, random: Random) -> bytes:
    """A text with one or two of its numbers replaced."""
    for _ in range(random.randint(1, 2)):
        places = [match.span() for match in re.finditer(rb"-?\d+(\.\d+)?", data)]
        if places:
            start, end = random.choice(places)
            word = random.choice(WORDS) if random.random() < 0.3 else str(random.choice(NUMBERS)).encode()
            data = data[:start] + word + data[end:]
    return data


def spoiled_bytes(data: bytes, random: Random) -> bytes:
    """Bytes with up to four of them, or a run of four (a count), replaced."""
    changed = bytearray(data or b"x")
    # Headers are small and matter more.
    reach = len(changed) if random.random() < 0.5 else min(len(changed), 400)
    for _ in range(random.randint(1, 4)):
        i = random.randrange(reach)
        if random.random() < 0.3:
            width = random.choice((2, 4, 8))
            number = random.choice([n for n in NUMBERS if isinstance(n, int)]) % (1 << (8 * width))
            changed[i : i + width] = number.to_bytes(width, random.choice(("little", "big")))
        else:
            changed[i] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return bytes(changed)


def spoiled_size(data: bytes, random: Random) -> bytes:
    """Bytes cut off, taken out, put in or repeated."""
    a, b = sorted(random.randrange(len(data) + 1) for _ in range(2))
    return random.choice((data[:a], data[a:], data[:a] + data[b:], data[:b] + data[a:], data[:a] + data + data[a:]))


CHANGES = (spoiled_numbers, spoiled_bytes, spoiled_size)
