"""MurmurHash3, x64, 128 bits: the hash from which Haystack derives a document's id.

Written from the published description of Austin Appleby's MurmurHash3 (public domain). Not for cryptographic use.
"""

__all__ = ["hash_text"]

_MASK = (1 << 64) - 1
_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F


def hash_text(text: str, seed: int = 0) -> str:
    """Return the hash of the UTF-8 text as lower-case hexadecimal without leading zeros, at least two digits."""
    data = text.encode("utf-8", "surrogatepass")
    high = low = seed
    block_bytes = len(data) - len(data) % 16
    for start in range(0, block_bytes, 16):
        first = int.from_bytes(data[start : start + 8], "little")
        second = int.from_bytes(data[start + 8 : start + 16], "little")
        high = (_rotate(high ^ _scramble(first, _C1, 31, _C2), 27) + low) * 5 + 0x52DCE729 & _MASK
        low = (_rotate(low ^ _scramble(second, _C2, 33, _C1), 31) + high) * 5 + 0x38495AB5 & _MASK
    high ^= _scramble(int.from_bytes(data[block_bytes : block_bytes + 8], "little"), _C1, 31, _C2)
    low ^= _scramble(int.from_bytes(data[block_bytes + 8 :], "little"), _C2, 33, _C1)
    high ^= len(data)
    low ^= len(data)
    high = high + low & _MASK
    low = low + high & _MASK
    high, low = _finish(high), _finish(low)
    high = high + low & _MASK
    low = low + high & _MASK
    return f"{low << 64 | high:02x}"


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> 64 - bits) & _MASK


def _scramble(block: int, before: int, bits: int, after: int) -> int:
    return _rotate(block * before & _MASK, bits) * after & _MASK


def _finish(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33
