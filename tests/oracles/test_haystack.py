"""What farm-haystack gave for the recorded cases, this renderer gives too."""

import json
from pathlib import Path

import pytest

from renderer.document import parse
from renderer.errors import RenderError
from renderer.formats.shaped import Shaped
from renderer.shapers import shape

RECORD = json.loads((Path(__file__).parent / "haystack.json").read_text(encoding="utf-8"))
PROMPTS = [case for case in RECORD["prompts"] if "prompts" in case]
REFUSED = [case for case in RECORD["prompts"] if "error" in case]

SHAPED = [case for case in RECORD["shapers"] if "value" in case]
UNSHAPED = [case for case in RECORD["shapers"] if "error" in case]


def prompts(case):
    body = Shaped().compile(parse(f"---\nformat: shaped\n---\n{case['template']}"), {}, {})
    return [part.content for (part,) in body.parts(case["data"])]


@pytest.mark.parametrize("case", PROMPTS, ids=range(len(PROMPTS)))
def test_a_template_fills_as_in_haystack(case):
    assert prompts(case) == case["prompts"]


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_what_haystack_refuses_is_refused(case):
    with pytest.raises(RenderError):
        prompts(case)


def whole(value):
    """Documents that pass through unchanged may lack the fields that Haystack's class adds."""
    if isinstance(value, list):
        return [whole(item) for item in value]
    return {"score": None, **value} if isinstance(value, dict) and "content" in value else value


@pytest.mark.parametrize("case", SHAPED, ids=range(len(SHAPED)))
def test_a_shaper_gives_what_haystacks_gives(case):
    assert whole(shape(case["func"], case["inputs"], case["params"])) == case["value"]


@pytest.mark.parametrize("case", UNSHAPED, ids=range(len(UNSHAPED)))
def test_what_haystacks_shaper_refuses_is_refused(case):
    with pytest.raises(RenderError):
        shape(case["func"], case["inputs"], case["params"])
