"""This renderer gives the same results as farm-haystack for the recorded cases."""

import json
from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats.shaped.format import Shaped
from promptuary.renderer.replies.shapers import shape

RECORD = json.loads((Path(__file__).parent / "haystack.json").read_text(encoding="utf-8"))
PROMPTS = [case for case in RECORD["prompts"] if "prompts" in case]
REFUSED = [case for case in RECORD["prompts"] if "error" in case]

SHAPED = [case for case in RECORD["shapers"] if "value" in case]
UNSHAPED = [case for case in RECORD["shapers"] if "error" in case]


def prompts(case):
    body = Shaped().compile(parse_document(f"---\nformat: shaped\n---\n{case['template']}"), {}, {})
    return [part.content for (part,) in body.build_parts(case["data"])]


@pytest.mark.parametrize("case", PROMPTS, ids=range(len(PROMPTS)))
def test_a_template_fills_as_in_haystack(case):
    assert prompts(case) == case["prompts"]


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_prompts_that_haystack_refuses_are_refused(case):
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
def test_arguments_that_haystacks_shaper_refuses_are_refused(case):
    with pytest.raises(RenderError):
        shape(case["func"], case["inputs"], case["params"])


def published(case):
    """What the shaper of a document makes of the case's inputs if they are data, named like its arguments."""
    step = json.dumps({"func": case["func"], "params": case["params"], "outputs": ["made"]})
    template = renderer.load(f"---\nformat: text\noutput:\n  shapers: [{step}]\n---\nAsk.\n")
    return template.read(["a reply of the model"], case["inputs"])["made"]


# Haystack's `prompts` are those that were sent, as they are here: they cannot be given as data.
OVER_DATA = [case for case in SHAPED if "prompts" not in case["inputs"]]


@pytest.mark.parametrize("case", OVER_DATA, ids=range(len(OVER_DATA)))
def test_a_shaper_over_data_gives_what_haystacks_gives(case):
    made = whole(published(case))
    if case["func"] == "strings_to_answers":  # here the prompt that was sent is known, in the recording there was none
        made = [{**answer, "meta": {**answer["meta"], "prompt": None}} for answer in made]
    assert made == case["value"]
