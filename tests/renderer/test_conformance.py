"""The conformance cases of conformance.json; conformance.md explains their format."""

import json
from pathlib import Path

import pytest

from promptuary import renderer

CASES = json.loads((Path(__file__).parent / "conformance.json").read_text(encoding="utf-8"))["cases"]
FIELDS = ("name", "role", "content", "truncation_priority")


def outcome(case):
    template = renderer.load(case["document"], fragments=case.get("fragments"))
    return template.render(
        case.get("data"), tokenizer=str.split if case.get("words") else None, **case.get("options", {})
    )


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['group']}: {case['name']}") for case in CASES])
def test_conformance(case):
    if "error" in case:
        with pytest.raises(renderer.RenderError) as caught:
            outcome(case)
        found = {name: getattr(caught.value, name) for name in case["error"]}
        assert found == case["error"]
        return
    prompt = outcome(case)
    assert [{name: getattr(part, name) for name in FIELDS} for part in prompt.parts] == case["parts"]
    assert [cut.name for cut in prompt.cut] == case.get("cut", [])
    assert list(prompt.ignored) == case.get("ignored", [])
