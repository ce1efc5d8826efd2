"""What farm-haystack gave for the recorded cases, this renderer gives too."""

import json
from pathlib import Path

import pytest

from renderer.document import parse
from renderer.errors import RenderError
from renderer.formats.shaped import Shaped

RECORD = json.loads((Path(__file__).parent / "haystack.json").read_text(encoding="utf-8"))
PROMPTS = [case for case in RECORD["prompts"] if "prompts" in case]
REFUSED = [case for case in RECORD["prompts"] if "error" in case]


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
