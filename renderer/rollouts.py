"""The rule of gradual rollouts: which callers get the candidate.

Client and server share it, and services in other languages can implement it: tests/vectors/rollout.json has examples.
"""

import hashlib

__all__ = ["MAX_BUCKET_LENGTH", "WHOLE", "is_on_candidate_side"]

WHOLE = 10_000  # shares are in ten-thousandths
MAX_BUCKET_LENGTH = 100  # characters


def is_on_candidate_side(salt: str, bucket: str, share: int) -> bool:
    """Whether callers in this bucket get the candidate when its share is this many ten-thousandths.

    A bucket has a fixed position: the first eight bytes of SHA-256 over `salt:bucket` in UTF-8, as a big-endian number,
    modulo 10,000. So nobody returns to the stable version while the share grows.
    """
    place = int.from_bytes(hashlib.sha256(f"{salt}:{bucket}".encode()).digest()[:8]) % WHOLE
    return place < share
