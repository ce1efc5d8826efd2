"""The judge prompt of the seed document: its f-string stands as a shaped document, renders byte for byte,
and is scored."""

from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.functions import FUNCTIONS

SEED = Path(__file__).resolve().parents[5] / "shared/seeds/003_e5904d266ecc2c21.txt"
pytestmark = pytest.mark.skipif(not SEED.exists(), reason="the seed document lies beside the repository, not in it")
DOCUMENTS = ["Beer is old. It is drunk widely.", "Tea has leaves."]
REPLY = """```json
{"answer": "Tea has leaves.", "relevance_explanation": "…", "all_relevant_sentence_keys": ["1a",],
"overall_supported_explanation": "…", "overall_supported": "true", "sentence_support_information": [
{"response_sentence_key": "a.", "explanation": "…", "supporting_sentence_keys": ["1a"], "fully_supported": "true"},],
"all_utilized_sentence_keys": ["1a"]}
```"""


def body() -> str:
    text = SEED.read_text(encoding="utf-8")
    return text.partition('prompt = f"""')[2].rpartition('"""\nreturn')[0]


def values() -> dict[str, str]:
    return {
        "documents": str(FUNCTIONS["document_sentences"].call(DOCUMENTS)),
        "question": "Which {drink} has leaves?",
        "response": str(FUNCTIONS["response_sentences"].call("Tea has leaves.")),
    }


def test_it_renders_as_the_f_string_would():
    # What an f-string prints for a text whose only escapes are doubled backslashes and doubled braces.
    expected = body().replace("{{", "\0").replace("}}", "\1").replace("\\\\", "\\")
    for name, value in values().items():
        expected = expected.replace("{" + name + "}", value)
    expected = expected.replace("\0", "{").replace("\1", "}")
    template = renderer.load("---\nformat: shaped\n---\n" + body())
    assert template.body.list_names() == {"documents", "question", "response"}
    assert template.render(values()).text == expected


def test_it_has_no_problems():
    assert renderer.validate("---\nformat: shaped\n---\n" + body()) == []


def test_its_reply_is_read_and_scored():
    scores = renderer.trace_scores(REPLY, DOCUMENTS)
    assert (scores["relevance"], scores["completeness"], scores["adherence"]) == (1 / 3, 1.0, True)
    assert scores["repairs"] == [
        "took the JSON out of its code fence",
        "dropped a comma before a closing bracket",
        "read 'true' in `fully_supported` as true",
        "read 'true' in `overall_supported` as true",
    ]
