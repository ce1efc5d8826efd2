"""JSON of the API: refused with a reason, or the same value as Python's own parser."""

import json

from registry.core.input_checks import BadJson, parse_json


def try_input(data: bytes) -> None:
    """Read the bytes as a request's body, then read the result again."""
    refusal = None
    try:
        value = parse_json(data)
    except BadJson as found:
        refusal = str(found)
    if refusal is not None:
        assert refusal
        return
    assert repr(value) == repr(json.loads(data))
    assert repr(parse_json(json.dumps(value).encode())) == repr(value)
