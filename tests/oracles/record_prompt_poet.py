"""Record what prompt-poet makes of the cases below.

Run it in an environment of its own, then commit the JSON; the tests read only that:

    python -m venv /tmp/poet && /tmp/poet/bin/pip install prompt-poet==0.0.52
    /tmp/poet/bin/python tests/oracles/record_prompt_poet.py

Words are its tokens (`encode_func=str.split`). Only cases are kept in which Promptuary means to agree: values that its
escaping damages, structure that data could change and Python's reading of YAML 1.1 are left to Promptuary's own tests.
`error` stands where prompt-poet refuses.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from prompt_poet import Prompt

TARGET = Path(__file__).parent / "prompt_poet.json"


def turns(count: int, words: int = 3) -> list[dict[str, Any]]:
    names = ["user", "assistant"]
    return [{"role": names[i % 2], "author": f"P{i % 2}", "text": " ".join([f"w{i}"] * words)} for i in range(count)]


CHAT = """
- name: system instructions
  role: system
  content: |
    You are {{ bot }}. Be kind and brief.

{% for turn in turns %}
- name: turn {{ loop.index }}
  role: {{ turn.role }}
  truncation_priority: 5
  content: |
    {{ turn.author }}: {{ turn.text }}
{% endfor %}

- name: question
  role: user
  content: |
    {{ question }}
"""

TIERS = """
- name: rules
  content: a b c d
- name: facts
  truncation_priority: 3
  content: f1 f2 f3
{% for i in range(n) %}
- name: memory {{ i }}
  truncation_priority: {{ 1 + i % 3 }}
  content: m{{ i }} x y z
{% endfor %}
- name: pinned
  truncation_priority: -1
  content: p q
"""

CASES: dict[str, dict[str, Any]] = {
    "one part": {"template": "- name: a\n  content: hello world\n"},
    "defaults": {"template": "- name: a\n  content: b\n- name: c\n  role: system\n  content: d\n"},
    "literal block": {"template": "- name: a\n  content: |\n    one\n      two\n\n    three\n"},
    "folded block": {"template": "- name: a\n  content: >\n    one\n    two\n\n    three\n"},
    "kept block": {"template": "- name: a\n  content: |+\n    one\n\n\n- name: b\n  content: |-\n    two\n"},
    "quoted": {"template": "- name: a\n  content: \"  x: 'y' # z  \"\n- name: b\n  content: 'it''s'\n"},
    "space marks": {"template": "- name: a\n  content: <|space|>a<|space|>b<|space|>\n"},
    "written line ends": {"template": "- name: a\n  content: 'one\\ntwo\\rthree'\n"},
    "tabs by escape": {"template": '- name: a\n  content: "a\\tb"\n'},
    "unicode": {"template": "- name: é\n  content: 日本語 💧 «x»\n"},
    "comment": {"template": "# top\n- name: a # side\n  content: b # gone\n"},
    "flow": {"template": "[{name: a, content: b, role: system}, {name: c, content: d}]"},
    "indented list": {"template": "  - name: a\n    content: b\n  - name: c\n    content: d\n"},
    "duplicate names": {"template": "- name: a\n  content: b\n- name: a\n  content: c\n"},
    "a value": {"template": "- name: a\n  content: hello {{ who }}!\n", "data": {"who": "Ada"}},
    "values of other types": {
        "template": "- name: a\n  content: |\n    {{ i }} {{ f }} {{ b }} {{ n }} {{ l }} {{ d }}\n",
        "data": {"i": 3, "f": 1.5, "b": True, "n": None, "l": [1, "x"], "d": {"k": 1}},
    },
    "a nested value": {
        "template": "- name: a\n  content: '{{ u.name }} {{ u['age'] }} {{ l[1] }}'\n",
        "data": {"u": {"name": "Ada", "age": 36}, "l": ["x", "y"]},
    },
    "filters": {
        "template": (
            "- name: a\n  content: '{{ s | upper }} {{ s | length }} {{ l | join('-') }} "
            "{{ s | default('x') }} {{ l | first }}'\n"
        ),
        "data": {"s": "abc", "l": ["p", "q"]},
    },
    "a default for what is missing": {"template": "- name: a\n  content: '{{ nothing | default('none') }}'\n"},
    "is defined": {"template": "- name: a\n  content: '{% if nothing is defined %}yes{% else %}no{% endif %}'\n"},
    "if": {
        "template": (
            "{% if a %}\n- name: a\n  content: b\n{% endif %}\n{% if not a %}\n- name: c\n  content: d\n"
            "{% else %}\n- name: e\n  content: f\n{% endif %}\n"
        ),
        "data": {"a": True},
    },
    "elif in a content": {
        "template": (
            "- name: a\n  content: |\n    {% if n > 5 %}many{% elif n > 1 %}some{% else %}none{% endif %} left\n"
        ),
        "data": {"n": 3},
    },
    "for": {
        "template": "{% for x in xs %}\n- name: item {{ loop.index0 }}\n  content: {{ x }}\n{% endfor %}",
        "data": {"xs": ["a", "b", "c"]},
    },
    "for with a filter": {
        "template": "{% for x in xs if x.ok %}\n- name: {{ x.n }}\n  content: '{{ x.t }}'\n{% endfor %}",
        "data": {
            "xs": [
                {"ok": True, "n": "a", "t": "1"},
                {"ok": False, "n": "b", "t": "2"},
                {"ok": True, "n": "c", "t": "3"},
            ]
        },
    },
    "for else": {
        "template": (
            "{% for x in xs %}\n- name: x\n  content: {{ x }}\n{% else %}\n- name: none\n"
            "  content: nothing\n{% endfor %}"
        ),
        "data": {"xs": []},
    },
    "nested loops": {
        "template": (
            "{% for g in gs %}{% for x in g.xs %}\n- name: {{ g.n }}{{ loop.index }}\n"
            "  content: '{{ x }} {{ loop.last }}'\n{% endfor %}{% endfor %}"
        ),
        "data": {"gs": [{"n": "a", "xs": ["1", "2"]}, {"n": "b", "xs": ["3"]}]},
    },
    "a loop in a content": {
        "template": "- name: a\n  content: |\n    {% for x in xs %}\n    - {{ x }}\n    {% endfor %}\n    end\n",
        "data": {"xs": ["one", "two"]},
    },
    "white space control": {
        "template": "{%- for x in xs -%}\n- name: {{ x }}\n  content: |\n    {{ x -}}   \n    tail\n{% endfor -%}\n",
        "data": {"xs": ["a"]},
    },
    "set": {
        "template": "{% set greeting = 'hi ' ~ who %}\n- name: a\n  content: {{ greeting }}\n",
        "data": {"who": "Ada"},
    },
    "set block": {
        "template": (
            "{% set t %}hello {{ who }}{% endset %}\n- name: a\n  content: '{{ t }} {{ t | upper }} {{ t | length }}'\n"
        ),
        "data": {"who": "Ada"},
    },
    "namespace": {
        "template": (
            "{% set ns = namespace(n=0) %}{% for x in xs %}{% set ns.n = ns.n + x %}{% endfor %}\n"
            "- name: a\n  content: sum {{ ns.n }}\n"
        ),
        "data": {"xs": [1, 2, 3]},
    },
    "macro": {
        "template": (
            "{% macro turn(name, text, role='user') %}\n- name: {{ name }}\n  role: {{ role }}\n"
            "  content: {{ text }}\n{% endmacro %}\n{{ turn('a', 'one') }}\n"
            "{{ turn('b', 'two', role='assistant') }}\n"
        )
    },
    "macro in a content": {
        "template": (
            "{% macro b(x) %}**{{ x }}**{% endmacro %}\n- name: a\n  content: |\n    {{ b('one') }} and {{ b(who) }}\n"
        ),
        "data": {"who": "Ada"},
    },
    "call block": {
        "template": (
            "{% macro box() %}<{{ caller() }}>{% endmacro %}\n- name: a\n  content: '{% call box() %}in{% endcall %}'\n"
        )
    },
    "filter block": {
        "template": "- name: a\n  content: '{% filter upper %}x {{ who }}{% endfilter %}'\n",
        "data": {"who": "Ada"},
    },
    "raw": {"template": "- name: a\n  content: '{% raw %}{{ not a value }}{% endraw %}'\n"},
    "with": {"template": "{% with x = 'y' %}\n- name: a\n  content: {{ x }}\n{% endwith %}"},
    "a comment of the template": {"template": "{# gone #}\n- name: a\n  content: b{# gone #}c\n"},
    "arithmetic": {
        "template": "- name: a\n  content: '{{ 7 * 6 }} {{ 7 // 2 }} {{ 7 % 4 }} {{ 2 ** 5 }} {{ 1 / 4 }}'\n"
    },
    "comparisons": {
        "template": "- name: a\n  content: '{{ 1 < 2 }} {{ 'a' in 'abc' }} {{ not true }} {{ 1 == 1.0 }}'\n"
    },
    "string methods": {
        "template": "- name: a\n  content: \"{{ s.upper() }} {{ s.split(',')[1] }} {{ s.replace('a', 'z') }}\"\n",
        "data": {"s": "a,b"},
    },
    "items of a mapping": {
        "template": "{% for k, v in d.items() %}\n- name: {{ k }}\n  content: {{ v }}\n{% endfor %}",
        "data": {"d": {"x": "one", "y": "two"}},
    },
    "a role from data": {"template": "- name: a\n  role: {{ r }}\n  content: b\n", "data": {"r": "assistant"}},
    "a priority from data": {"template": "- name: a\n  truncation_priority: {{ p }}\n  content: b\n", "data": {"p": 4}},
    "expected keys": {
        "template": "- name: a\n  expected_template_data_keys: [v]\n  content: {{ v }}\n",
        "data": {"v": "x"},
    },
    "expected keys missing": {
        "template": "- name: a\n  expected_template_data_keys: [v, w]\n  content: x\n",
        "data": {"v": "x"},
    },
    "sections": {
        "template": (
            "- name: a\n  role: system\n  sections:\n    - name: one\n      content: ' first '\n"
            "    - name: two\n      content: |\n        second\n"
        ),
    },
    "sections with values": {
        "template": (
            "- name: a\n  sections:\n    {% for s in ss %}\n    - name: {{ s.n }}\n"
            "      content: '{{ s.t }}. '\n    {% endfor %}\n"
        ),
        "data": {"ss": [{"n": "p", "t": "one"}, {"n": "q", "t": "two"}]},
    },
    "sections with line ends": {
        "template": (
            "- name: a\n  sections:\n    - name: one\n      content: |\n        first\n    - name: two\n"
            "      content: '<|space|>second\\\\n'\n    - name: three\n      content: \"\\n third \"\n"
        ),
    },
    "sections that start empty": {
        "template": (
            "- name: a\n  sections:\n    - name: one\n      content: ' {{ e }} '\n    - name: two\n"
            "      content: ' x '\n"
        ),
        "data": {"e": ""},
    },
    "an empty value at the start": {
        "template": "- name: a\n  content: |\n    {{ e }}\n    x {{ e }}\n",
        "data": {"e": ""},
    },
    "indent in a block": {
        "template": (
            "- name: a\n  content: |\n    Say: {{ t | indent(4) }}\n- name: b\n  content: |\n"
            "      {{ t | indent(6) }}\n"
        ),
        "data": {"t": "one\n  two\n\nthree"},
    },
    "sections and content": {"template": "- name: a\n  content: x\n  sections:\n    - name: s\n      content: y\n"},
    "no content": {"template": "- name: a\n"},
    "no name": {"template": "- content: a\n"},
    "an unknown key": {"template": "- name: a\n  content: b\n  colour: red\n"},
    "a reserved name": {"template": "- name: a\n  content: b\n", "data": {"token_limit": 5}},
    "escaping": {
        "template": "- name: a\n  content: |\n    {{ escape_special_characters(t) }}\n",
        "data": {"t": "one\ntwo \"three\" 'four'"},
    },
    "escaping of CRLF": {
        "template": "- name: a\n  content: '{{ escape_special_characters(t) }}'\n",
        "data": {"t": "one\r\ntwo"},
    },
    "the limit in the template": {"template": "- name: a\n  content: limit {{ token_limit }}\n", "limit": 50},
    "no limit in the template": {"template": "- name: a\n  content: limit {{ token_limit }}\n"},
    "a bad limit": {"template": "- name: a\n  content: b\n", "limit": 0, "step": 1},
    "a bad step": {"template": "- name: a\n  content: b\n", "limit": 5, "step": 0},
    "multimodal": {
        "template": (
            "- name: a\n  content:\n    - type: text\n      text: look\n    - type: image_url\n"
            "      image_url: {url: '{{ u }}', detail: low}\n"
        ),
        "data": {"u": "https://example.org/a.png"},
        "messages_only": True,
    },
    "chat": {"template": CHAT, "data": {"bot": "Ada", "turns": turns(4), "question": "and now?"}},
    "chat without turns": {"template": CHAT, "data": {"bot": "Ada", "turns": [], "question": "and now?"}},
}

CHAT_DATA = {"bot": "Ada", "turns": turns(12), "question": "and now?"}
for limit in (10, 12, 20, 33, 40, 57, 58, 59, 1000):
    for step in (1, 2, 5, 7, 20, 1000):
        CASES[f"chat cut to {limit} by {step}"] = {"template": CHAT, "data": CHAT_DATA, "limit": limit, "step": step}
for limit in (5, 6, 7, 9, 10, 15, 21, 22, 30, 33, 34):
    for step in (1, 3, 10, 100):
        CASES[f"tiers cut to {limit} by {step}"] = {"template": TIERS, "data": {"n": 6}, "limit": limit, "step": step}


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    try:
        prompt = Prompt(
            raw_template=case["template"],
            template_data=case.get("data", {}),
            encode_func=str.split,  # type: ignore[arg-type]  # words do for tokens
            token_limit=case.get("limit", -1),
            truncation_step=case.get("step", 1),
        )
        if case.get("messages_only"):
            return {"messages": prompt.messages}
        prompt.tokenize()
        prompt.truncate()
    except Exception as error:  # noqa: BLE001 -- whatever prompt-poet raises is its refusal
        return {"error": type(error).__name__}
    return {
        "parts": [[part.name, part.role, part.content, part.truncation_priority] for part in prompt.parts],
        "text": prompt.string,
        "messages": prompt.messages,
        "tokens": prompt.tokens,
    }


if __name__ == "__main__":
    recorded = {name: {**case, "outcome": outcome(case)} for name, case in CASES.items()}
    body = {"prompt-poet": version("prompt-poet"), "python": sys.version.split()[0], "cases": recorded}
    TARGET.write_text(json.dumps(body, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(recorded)} cases in {TARGET}\n")
