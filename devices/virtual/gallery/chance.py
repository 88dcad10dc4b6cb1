"""Chance that is the same every time: numbers that depend on a seed and on names, never on the order of calls."""

from hashlib import blake2b


def chance(seed: int, *names: object) -> float:
    """A number in [0, 1), fixed by `seed` and `names`, as if drawn evenly."""
    text = "\x1f".join(str(name) for name in (seed, *names))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def between(low: float, high: float, seed: int, *names: object) -> float:
    """A number in [low, high), fixed by `seed` and `names`."""
    return low + (high - low) * chance(seed, *names)
