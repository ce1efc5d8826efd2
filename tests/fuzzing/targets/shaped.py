"""The parser of shaped bodies: pieces that cover the text without gaps, or an error with its place."""

from itertools import pairwise

from promptuary.renderer.formats.shaped.parser import SyntaxFault, parse_shaped
from tests.fuzzing.text import decode_text


def try_input(data: bytes) -> None:
    """Read the bytes as a shaped body."""
    body = decode_text(data)
    fault = None
    try:
        pieces = parse_shaped(body)
    except SyntaxFault as found:
        fault = found
    if fault is not None:
        assert 0 <= fault.start <= min(fault.end, len(body))
        return
    assert all(before.end == after.start for before, after in pairwise(pieces))
    assert not pieces or (pieces[0].start, pieces[-1].end) == (0, len(body))
