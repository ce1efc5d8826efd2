"""The rule of gradual publishing: which callers get the candidate of a rollout.

Client and server share it, and services in other languages can follow it: tests/vectors/rollout.json has examples.
"""

import hashlib

__all__ = ["LONGEST_BUCKET", "WHOLE", "is_on_candidate_side"]

WHOLE = 10_000  # a share is given in ten-thousandths
LONGEST_BUCKET = 100  # characters


def is_on_candidate_side(salt: str, bucket: str, share: int) -> bool:
    """Whether the callers of this bucket get the candidate while its share is this many ten-thousandths.

    A bucket has one place for ever: the first eight bytes of SHA-256 over `salt:bucket` in UTF-8, as a big-endian
    number, modulo 10,000. So nobody goes back to the stable version while the share grows.
    """
    place = int.from_bytes(hashlib.sha256(f"{salt}:{bucket}".encode()).digest()[:8]) % WHOLE
    return place < share
