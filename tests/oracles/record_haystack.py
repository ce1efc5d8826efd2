"""Record what farm-haystack's PromptTemplate and Shaper make of the cases below.

Run it in an environment of its own, then commit the JSON; the tests read only that:

    python -m venv /tmp/haystack && /tmp/haystack/bin/pip install farm-haystack==1.26.4.post0
    HAYSTACK_TELEMETRY_ENABLED=False /tmp/haystack/bin/python tests/oracles/record_haystack.py

Only cases are kept here in which Promptuary means to agree with Haystack. A mapping with `content` becomes a Document,
one with `answer` an Answer; results go back the same way. `error` stands where Haystack refuses.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from haystack.nodes.other.shaper import Shaper
from haystack.nodes.prompt.prompt_template import PromptTemplate
from haystack.schema import Answer, Document

TARGET = Path(__file__).parent / "haystack.json"

BEER = {"content": "Beer is old[1][2].\nIt is drunk widely.", "id": "d-beer", "meta": {"title": "Beer", "year": 1842}}
TEA = {"content": "Tea has 'leaves' [3].", "id": "d-tea", "meta": {"title": "Tea {x}"}}
WATER = {"content": "Water: é 水 💧", "id": "d-water", "meta": {}}
NAMELESS = {"content": "no id of its own", "meta": {"score": 0.914}}
TWO, THREE = [BEER, TEA], [BEER, TEA, WATER]
YES = {"answer": "yes [1]", "type": "generative", "meta": {"who": "r"}}
NO = {"answer": "no", "type": "generative", "meta": {}}

PROMPTS: list[tuple[str, dict[str, Any]]] = [
    ("Question: {query}", {"query": "why?"}),
    ("{query}", {"query": "{other} $x {{y}}"}),
    ("{query} and {query}", {"query": "a"}),
    ("{a}{b}", {"a": "1", "b": "2"}),
    ("{ query }", {"query": "spaced"}),
    ("no field here", {}),
    ("{{literal}} {query}", {"query": "q"}),
    ("{{{query}}}", {"query": "q"}),
    ("{{}} {{{{}}}} {query}", {"query": "q"}),
    ("n: {n}", {"n": 3}),
    ("f: {n}", {"n": 2.50}),
    ("b: {flag} {none}", {"flag": True, "none": None}),
    ("m: {m}", {"m": {"a": 1, "b": [True, None]}}),
    ("tab\\tline\\nback\\\\n \\d {query}", {"query": "v\\n"}),
    ("real\ttab and\nline {query}", {"query": "v"}),
    ("ends with space \n{query} ", {"query": "v"}),
    ("日本語 {query} 💧", {"query": "水"}),
    ("{query}", {"query": "  edges\t"}),
    ("{query}", {"query": "line\r\nand\u2028sep"}),
    ("{query}", {"query": 'say "hi" it\'s'}),
    ("{join(documents)}", {"documents": THREE}),
    ("{join(documents)}", {"documents": []}),
    ("{join(documents)}", {"documents": [WATER]}),
    ("{join(documents, ' - ')}", {"documents": TWO}),
    ("{join(documents, '')}", {"documents": TWO}),
    ("{join(documents, new_line)}", {"documents": TWO}),
    ("{join(documents, tab)}", {"documents": TWO}),
    ("{join(documents, carriage_return)}{double_quote}", {"documents": TWO}),
    ("{join(documents, '; ', '$content')}", {"documents": TWO}),
    ("{join(documents, '; ', 'Document[$idx]: $content')}", {"documents": THREE}),
    ("{join(documents, '; ', '$id')}", {"documents": THREE}),
    ("{join(documents, '; ', '$id $content')}", {"documents": [NAMELESS]}),
    ("{join(documents, '; ', '$title ($year)')}", {"documents": TWO}),
    ("{join(documents, '; ', '${idx}x $$ $title')}", {"documents": TWO}),
    ("{join(documents, '; ', '$TITLE|$missing|')}", {"documents": TWO}),
    ("{join(documents, '; ', '$title.$idx')}", {"documents": TWO}),
    ("{join(documents, '; ', 'constant')}", {"documents": TWO}),
    ("{join(documents, '; ', None)}", {"documents": TWO}),
    ("{join(documents, '; ', '')}", {"documents": TWO}),
    ("{join(documents, '; ', '$idx: $content', {'[': '(', ']': ')'})}", {"documents": THREE}),
    ("{join(documents, ' [x] ', '[$idx] $content', {'[': '(', ']': ')'})}", {"documents": TWO}),
    ("{join(documents, new_line, '$content', {new_line: ' '})}", {"documents": TWO}),
    ("{join(documents, ' ', '$content', {'e': 'x', 'x': 'yy', 'y': 'z'})}", {"documents": TWO}),
    ("{join(documents, ' ', '$title', {'e': 'E'})}", {"documents": TWO}),
    ("{join(documents, ' ', '$id', {'d-': ''})}", {"documents": TWO}),
    ("{join(documents, ' ', '$idx', {'1': 'one'})}", {"documents": TWO}),
    ("{join(documents, ' ', '$content', {})}", {"documents": TWO}),
    ("{join(documents, ' ', '$content', {'': '.'})}", {"documents": [WATER]}),
    ("{join(documents)} \n Question: {query}; Answer: ", {"documents": TWO, "query": "why?"}),
    ("{join(documents, d, p)}", {"documents": TWO, "d": "::", "p": "<$idx>"}),
    ("{join(documents, ' ', '$content', r)}", {"documents": TWO, "r": {"B": "b"}}),
    ("{join( documents , '-' )}", {"documents": TWO}),
    ("{join(documents, '-', )}", {"documents": TWO}),
    ("{documents}", {"documents": THREE}),
    ("{documents}", {"documents": [BEER]}),
    ("{documents}", {"documents": []}),
    ("Context: {documents}; Question: {query}", {"documents": THREE, "query": "q"}),
    ("{documents} {options}", {"documents": TWO, "options": ["a", "b"]}),
    ("{documents} {options}", {"documents": TWO, "options": ["only"]}),
    ("{documents} {join(documents)}", {"documents": TWO}),
    ("{answers}", {"answers": [YES, NO]}),
    ("{items}", {"items": ["a", 1, None, True]}),
    ("{items}", {"items": ["one"]}),
    ("{items} {query}", {"items": [], "query": "q"}),
    ("{to_strings(documents)}", {"documents": TWO}),
    ("{to_strings(documents, '[$idx] $content')}", {"documents": TWO}),
    ("{to_strings(documents, '$content', {'[': '('})}", {"documents": TWO}),
    ("{to_strings(items, '[$idx] $content')}", {"items": ["a", "b"]}),
    ("{to_strings(items, None, {'a': 'b'})}", {"items": ["a", "ba"]}),
    ("{to_strings(answers, '$idx $answer $who', {'[': '('})}", {"answers": [YES, NO]}),
    ("{str(query)} {str(n)}", {"query": "q", "n": 4}),
    ("{'literal'} {1} {-2} {1.5} {True} {None}", {}),
    ("{['a', query]}", {"query": "q"}),
    ("{'a' 'b'}", {}),
    ("{query}", {}),
    ("{a} {b}", {"a": "1"}),
    ("{join(documents, ' ', '$')}", {"documents": TWO}),
    ("{join(documents, ' ', '$1')}", {"documents": TWO}),
    ("{unknown(query)}", {"query": "q"}),
    ("{query.upper()}", {"query": "q"}),
    ("{__import__('os')}", {}),
    ("{}", {}),
    ("{query", {"query": "q"}),
    ("query}", {"query": "q"}),
    ("{join(documents}", {"documents": TWO}),
    ("{join()}", {}),
    ("{join(documents, ' ', '$content', {}, 5)}", {"documents": TWO}),
    ("{join(documents)}", {"documents": BEER}),
    ("{join(documents)}", {"documents": "text"}),
    ("{to_strings(items)}", {"items": [1, 2]}),
    ("{[}", {}),
    ("{'open}", {}),
    ("{query!z}", {"query": "q"}),
]

SHAPERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("rename", {"value": 1}, {}),
    ("rename", {"value": {"a": [1]}}, {}),
    ("rename", {"value": TWO}, {}),
    ("value_to_list", {"value": "q", "target_list": [1, 2, 3]}, {}),
    ("value_to_list", {"target_list": []}, {"value": "q"}),
    ("value_to_list", {"value": [1], "target_list": TWO}, {}),
    ("join_lists", {"lists": [[1, 2], [3]]}, {}),
    ("join_lists", {"lists": []}, {}),
    ("join_lists", {"lists": [["a"], [], ["a"]]}, {}),
    ("join_strings", {"strings": ["a", "b"]}, {}),
    ("join_strings", {"strings": ["first", "third"]}, {"delimiter": " - ", "str_replace": {"r": "R"}}),
    ("join_strings", {"strings": []}, {"delimiter": ", "}),
    ("join_strings", {"strings": ["a-b"]}, {"delimiter": "-", "str_replace": {"-": "+"}}),
    ("join_documents", {"documents": THREE}, {}),
    (
        "join_documents",
        {"documents": TWO},
        {"delimiter": " | ", "pattern": "[$idx] $content", "str_replace": {"[": "("}},
    ),
    ("join_documents", {"documents": []}, {}),
    ("join_documents_and_scores", {"documents": [{**BEER, "meta": {"score": 0.911}}, NAMELESS]}, {}),
    (
        "join_documents_and_scores",
        {"documents": [{**BEER, "meta": {"score": "0.5"}}, {**TEA, "meta": {"score": 1}}]},
        {},
    ),
    ("join_documents_and_scores", {"documents": []}, {}),
    ("join_documents_and_scores", {"documents": TWO}, {}),
    ("strings_to_answers", {"strings": ["yes"]}, {}),
    ("strings_to_answers", {"strings": ["yes", "no"]}, {}),
    ("strings_to_answers", {"strings": []}, {}),
    ("strings_to_answers", {"strings": ["yes"], "documents": THREE}, {}),
    ("strings_to_answers", {"strings": ["yes"], "documents": []}, {}),
    ("strings_to_answers", {"strings": ["yes"], "documents": [NAMELESS]}, {}),
    ("strings_to_answers", {"strings": ["yes"], "prompts": ["p"]}, {}),
    ("strings_to_answers", {"strings": ["a", "b"], "prompts": ["p"], "documents": TWO}, {}),
    ("strings_to_answers", {"strings": ["a", "b"], "prompts": ["p", "q"], "documents": TWO}, {}),
    ("strings_to_answers", {"strings": ["a", "b", "c", "d"], "prompts": ["p", "q"], "documents": TWO}, {}),
    ("strings_to_answers", {"strings": ["a", "b"], "prompts": ["p", "q"]}, {}),
    ("strings_to_answers", {"strings": ["a", "b", "c"], "prompts": ["p", "q"]}, {}),
    ("strings_to_answers", {"strings": ["a", "b"], "prompts": ["p", "q"], "documents": THREE}, {}),
    ("strings_to_answers", {"strings": ["a", "b"], "prompts": []}, {}),
    ("strings_to_answers", {"strings": ["Answer: tea"]}, {"pattern": "Answer: (.*)"}),
    ("strings_to_answers", {"strings": ["think\nfinal line"]}, {"pattern": "[^\\n]+$"}),
    ("strings_to_answers", {"strings": ["nothing here"]}, {"pattern": "Answer: (.*)"}),
    ("strings_to_answers", {"strings": ["ab"]}, {"pattern": "(a)(b)"}),
    ("strings_to_answers", {"strings": ["b"]}, {"pattern": "(?:a)|b"}),
    ("strings_to_answers", {"strings": ["b"]}, {"pattern": "(a)|b"}),
    ("strings_to_answers", {"strings": ["tea[2]"], "documents": THREE}, {"reference_pattern": "\\[(\\d+)\\]"}),
    ("strings_to_answers", {"strings": ["tea[2][1]"], "documents": THREE}, {"reference_pattern": "\\[(\\d+)\\]"}),
    ("strings_to_answers", {"strings": ["tea[9]"], "documents": THREE}, {"reference_pattern": "\\[(\\d+)\\]"}),
    ("strings_to_answers", {"strings": ["tea[0]"], "documents": THREE}, {"reference_pattern": "\\[(\\d+)\\]"}),
    ("strings_to_answers", {"strings": ["none"], "documents": THREE}, {"reference_pattern": "\\[(\\d+)\\]"}),
    ("strings_to_answers", {"strings": ["tea[2]"]}, {"reference_pattern": "\\[(\\d+)\\]"}),
    (
        "strings_to_answers",
        {"strings": ["as stated in Document[1], Document[3]."], "documents": THREE},
        {"reference_pattern": "Document\\[(\\d+)\\]"},
    ),
    (
        "strings_to_answers",
        {"strings": ["Answer: tea\nsee [2]"], "documents": THREE},
        {"pattern": "Answer: (.*)", "reference_pattern": "\\[(\\d+)\\]"},
    ),
    ("strings_to_answers", {"strings": ["12"], "documents": THREE}, {"reference_pattern": "\\d"}),
    (
        "strings_to_answers",
        {"strings": ["see (d-tea)"], "documents": THREE},
        {"reference_pattern": "\\(([-a-z]+)\\)", "reference_mode": "id"},
    ),
    (
        "strings_to_answers",
        {"strings": ["see <Beer>"], "documents": [BEER, WATER]},
        {"reference_pattern": "<(\\w+)>", "reference_mode": "meta", "reference_meta_field": "title"},
    ),
    ("strings_to_answers", {"strings": ["x"], "documents": TWO}, {"reference_mode": "meta"}),
    ("strings_to_answers", {"strings": ["x"], "documents": TWO}, {"reference_mode": "title"}),
    (
        "strings_to_answers",
        {"strings": ["a[1]", "b[1]"], "prompts": ["p", "q"], "documents": TWO},
        {"reference_pattern": "\\[(\\d+)\\]"},
    ),
    ("answers_to_strings", {"answers": [YES, NO]}, {}),
    ("answers_to_strings", {"answers": [YES, NO]}, {"pattern": "[$idx] $answer ($who)", "str_replace": {"[": "("}}),
    ("answers_to_strings", {"answers": []}, {}),
    ("strings_to_documents", {"strings": ["a", "b"]}, {}),
    ("strings_to_documents", {"strings": ["a", "b"]}, {"meta": {"k": 1}}),
    ("strings_to_documents", {"strings": ["a", "b"], "meta": [{"k": 1}, {"k": 2}]}, {}),
    ("strings_to_documents", {"strings": ["a", "b"], "meta": [{"k": 1}]}, {}),
    ("strings_to_documents", {"strings": ["a"]}, {"meta": {"k": 1}, "id_hash_keys": ["content", "meta.k"]}),
    ("strings_to_documents", {"strings": ["a"]}, {"meta": {"k": 1}, "id_hash_keys": ["content", "meta"]}),
    ("strings_to_documents", {"strings": ["a"]}, {"id_hash_keys": ["meta.none"]}),
    ("strings_to_documents", {"strings": []}, {}),
    ("documents_to_strings", {"documents": THREE}, {}),
    ("documents_to_strings", {"documents": TWO}, {"pattern": "$idx $title: $content", "str_replace": {"[": "("}}),
    ("documents_to_strings", {"documents": TWO}, {"pattern": "$"}),
    ("documents_to_strings", {"documents": []}, {}),
    ("value_to_list", {"value": "q"}, {}),
    ("join_strings", {"strings": ["a"]}, {"separator": ","}),
    ("no_such_function", {}, {}),
]


def build(value: Any) -> Any:
    """JSON to Haystack's objects."""
    if isinstance(value, list):
        return [build(item) for item in value]
    if isinstance(value, dict) and "content" in value:
        return Document(**value)
    if isinstance(value, dict) and "answer" in value:
        return Answer(**value)
    return {key: build(item) for key, item in value.items()} if isinstance(value, dict) else value


def plain(value: Any) -> Any:
    """Haystack's objects to JSON."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Document):
        fields = value.to_dict()
        return {name: fields[name] for name in ("content", "id", "meta", "score")}
    return value.to_dict() if isinstance(value, Answer) else value


def fill(template: str, data: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"prompts": list(PromptTemplate(f"{template}").fill(**build(data)))}
    except Exception as error:  # noqa: BLE001 -- whatever it raises is the finding
        return {"error": type(error).__name__}


def shape(func: str, inputs: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    try:
        shaper = Shaper(func, outputs=["value"], inputs={name: name for name in inputs}, params=build(params))
        published, _ = shaper.run(invocation_context=build(inputs))
    except Exception as error:  # noqa: BLE001 -- whatever it raises is the finding
        return {"error": type(error).__name__}
    return {"value": plain(published["value"])}


def main() -> None:
    record = {
        "versions": {"farm-haystack": version("farm-haystack"), "python": sys.version.split()[0]},
        "prompts": [{"template": text, "data": data, **fill(text, data)} for text, data in PROMPTS],
        "shapers": [
            {"func": func, "inputs": inputs, "params": params, **shape(func, inputs, params)}
            for func, inputs, params in SHAPERS
        ],
    }
    TARGET.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
