"""Record what LazyLLM's AlpacaPrompter and ChatPrompter make of the cases below.

Run it in an environment of its own for each version, then commit the JSON; the tests read only that:

    for v in 0.1.1 0.1.2; do
        python -m venv /tmp/lazyllm-$v && /tmp/lazyllm-$v/bin/pip install --no-deps lazyllm==$v
        /tmp/lazyllm-$v/bin/python tests/oracles/record_lazyllm.py
    done

Only the prompters are loaded, with stand-ins for the logger and the metaclass they name, as the whole package wants a
machine full of dependencies. Cases are those in which Promptuary means to agree; `error` stands where LazyLLM refuses.
"""

import copy
import json
import sys
import types
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

VERSION = version("lazyllm")
TARGET = Path(__file__).parent / f"lazyllm-{VERSION}.json"


def load_prompters() -> Any:
    home = Path(str(distribution("lazyllm").locate_file("lazyllm")))
    for name, folder in (("lazyllm", home), ("lazyllm.components", home / "components")):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    sys.modules["lazyllm"].LOG = types.SimpleNamespace(info=print)  # type: ignore[attr-defined]
    common = types.ModuleType("lazyllm.common")
    common.LazyLLMRegisterMetaClass = type  # type: ignore[attr-defined]
    sys.modules["lazyllm.common"] = common
    from lazyllm.components import prompter  # noqa: PLC0415 -- only importable after the stand-ins are in place

    return prompter


TOOLS = [{"type": "function", "function": {"name": "example", "description": "für 天气", "parameters": {}}}]
OTHER = [{"type": "function", "function": {"name": "other"}}]
PAIR = [["hi", "hello"]]
PAIRS = [["q1", "a1"], ["q2\nline", ""]]
MESSAGES = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
MARKS = {
    "sos": "<s>",
    "eos": "</s>\n",
    "soh": "[H]",
    "eoh": "[/H]",
    "soa": "[A]",
    "eoa": "[/A]",
    "system": "Be {kind}.",
}
ADD = "请完成加法运算, 输入为{instruction}"
ASK = "Context: {context}. Question: {input}, answer."
BOTH = {"system": "Use {context}.", "user": "Answer {question}"}

# kind, what makes it (instruction, extra_keys, tools, marks), the call (input, history, tools, label)
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("alpaca", {"instruction": ADD}, {"input": "a+b"}),
    ("alpaca", {"instruction": ADD}, {"input": 5}),
    ("alpaca", {"instruction": ADD}, {"input": ""}),
    ("alpaca", {"instruction": ADD}, {"input": "{instruction} {{x}}"}),
    ("alpaca", {"instruction": "add", "extra_keys": "input"}, {"input": "a+b"}),
    ("alpaca", {"instruction": "add", "extra_keys": ["a", "b"]}, {"input": {"a": "1", "b": "2"}}),
    ("alpaca", {"instruction": "use {x}", "extra_keys": ["k"]}, {"input": {"x": "1", "k": "line\nbreak"}}),
    ("alpaca", {"instruction": "use {x}", "extra_keys": ["x"]}, {"input": {"x": "1"}}),
    ("alpaca", {"instruction": "use {x}", "extra_keys": ("k",)}, {"input": {"x": "1", "k": "2"}}),
    ("alpaca", {"instruction": ASK}, {"input": {"context": "背景", "input": "输入"}}),
    ("alpaca", {"instruction": "twice {x} {x}"}, {"input": "v"}),
    ("alpaca", {"instruction": "twice {x} {x}"}, {"input": {"x": "v"}}),
    ("alpaca", {"instruction": "no slot"}, {"input": {}}),
    ("alpaca", {"instruction": "no slot"}, {"input": ""}),
    ("alpaca", {"instruction": "no slot"}, {"input": "left over"}),
    ("alpaca", {"instruction": "no slot"}, {"input": {"left": "over"}}),
    ("alpaca", {"instruction": "two {a} {b}"}, {"input": "one"}),
    ("alpaca", {"instruction": "two {a} {b}"}, {"input": {"a": "1"}}),
    ("alpaca", {"instruction": "one {a}"}, {"input": {"a": "1", "b": "2"}}),
    ("alpaca", {"instruction": "one {a}"}, {"input": {"a": "1", "b": "2", "c": "3"}}),
    ("alpaca", {"instruction": "one {a}"}, {"input": None}),
    ("alpaca", {"instruction": "one {a}"}, {"input": ["x"]}),
    ("alpaca", {"instruction": "one {a}"}, {"input": 1.5}),
    ("alpaca", {"instruction": "one {a}"}, {"input": "x", "history": PAIR}),
    ("alpaca", {"instruction": "one {a}"}, {"input": "x", "history": []}),
    ("alpaca", {"instruction": "use a tool", "extra_keys": "input", "tools": TOOLS}, {"input": "go"}),
    ("alpaca", {"instruction": "use a tool", "extra_keys": "input"}, {"input": "go", "tools": TOOLS}),
    ("alpaca", {"instruction": "use a tool", "extra_keys": "input", "tools": TOOLS}, {"input": "go", "tools": OTHER}),
    ("alpaca", {"instruction": "use a tool", "extra_keys": "input", "tools": []}, {"input": "go", "tools": TOOLS}),
    ("alpaca", {"instruction": ADD}, {"input": "a+b", "label": "the sum"}),
    ("alpaca", {"instruction": ADD}, {"input": "a+b", "label": ""}),
    ("alpaca", {"instruction": ADD, "marks": MARKS}, {"input": "a+b"}),
    ("alpaca", {"instruction": ADD, "marks": {"system": ""}}, {"input": "a+b"}),
    ("alpaca", {"instruction": "x", "extra_keys": 5}, {"input": "a"}),
    ("alpaca", {"instruction": "x", "extra_keys": {"k": 1}}, {"input": "a"}),
    ("alpaca", {"instruction": "x {a}", "marks": {"bos": "x"}}, {"input": "a"}),
    ("chat", {"instruction": "add"}, {"input": "a+b"}),
    ("chat", {"instruction": "add {x}"}, {"input": "a+b"}),
    ("chat", {"instruction": "add {x}"}, {"input": {"x": "1", "query": "and now?"}}),
    ("chat", {"instruction": "add {x}"}, {"input": {"x": "1"}}),
    ("chat", {"instruction": "add", "extra_keys": ["k"]}, {"input": {"k": "1", "query": "and now?"}}),
    ("chat", {"instruction": "add", "extra_keys": ["k"]}, {"input": "only the key"}),
    ("chat", {"instruction": ""}, {"input": "hello"}),
    ("chat", {"instruction": "add"}, {"input": ""}),
    ("chat", {"instruction": "add"}, {"input": "edges \n "}),
    ("chat", {"instruction": "add"}, {"input": "<|Human|>: {x} <|end_system|>"}),
    ("chat", {"instruction": "add"}, {"input": "now", "history": PAIR}),
    ("chat", {"instruction": "add"}, {"input": "now", "history": PAIRS}),
    ("chat", {"instruction": "add {x}"}, {"input": {"x": "1", "q": "now"}, "history": PAIRS}),
    ("chat", {"instruction": "add"}, {"input": "now", "history": MESSAGES}),
    ("chat", {"instruction": "add"}, {"input": "now", "history": [["one"]]}),
    ("chat", {"instruction": "add"}, {"input": "now", "history": [["a", "b", "c"]]}),
    ("chat", {"instruction": "add"}, {"input": "now", "history": ["a", "b"]}),
    ("chat", {"instruction": "add", "tools": TOOLS}, {"input": "go"}),
    ("chat", {"instruction": "add"}, {"input": "go", "tools": TOOLS, "history": PAIR}),
    ("chat", {"instruction": "add", "tools": TOOLS}, {"input": "go", "tools": OTHER}),
    ("chat", {"instruction": "add"}, {"input": "go", "label": "said"}),
    ("chat", {"instruction": "add", "marks": MARKS}, {"input": "go", "history": PAIRS}),
    ("chat", {"instruction": "add", "marks": {"soh": "", "sos": None}}, {"input": "go"}),
    ("chat", {"instruction": "two {a} {b}"}, {"input": "one"}),
    ("chat", {"instruction": "two {a} {b}"}, {"input": {"b": "1"}}),
    ("chat", {"instruction": "add"}, {"input": {"a": "1", "b": "2"}}),
    ("chat", {"instruction": "add"}, {"input": None}),
    ("chat", {"instruction": "line\nbreak {x}\n"}, {"input": "v"}),
]
NEWER: list[tuple[str, dict[str, Any], dict[str, Any]]] = [  # what 0.1.1 could not do
    ("alpaca", {"instruction": {"system": "Sum {a}", "user": "now {b}"}}, {"input": {"a": "1", "b": "2"}}),
    ("alpaca", {"instruction": {"user": ASK}}, {"input": {"context": "背景", "input": "输入"}}),
    ("alpaca", {"instruction": {"system": "Sum {a}"}}, {"input": "1"}),
    ("alpaca", {"instruction": {"system": "Sum", "user": "{a}"}, "tools": TOOLS}, {"input": "1"}),
    ("chat", {"instruction": BOTH}, {"input": {"context": "c", "question": "q"}}),
    ("chat", {"instruction": BOTH}, {"input": {"context": "c", "question": "q", "query": " and more"}}),
    ("chat", {"instruction": BOTH}, {"input": {"context": "c", "question": "q"}, "history": PAIRS}),
    ("chat", {"instruction": {"user": "Say {x}: "}}, {"input": {"x": "hi", "q": "now"}}),
    ("chat", {"instruction": {"system": "Be kind."}}, {"input": "hi"}),
    ("chat", {"instruction": {"system": "Be kind.", "user": ""}, "tools": TOOLS}, {"input": "hi", "history": PAIR}),
    ("chat", {"instruction": {"system": '{"a": {"b": "{x}"}}', "user": "u"}}, {"input": {"x": "v", "q": "w"}}),
    ("alpaca", {"instruction": "{名字} {1}"}, {"input": {"名字": "n", "1": "one"}}),
    ("alpaca", {"instruction": 'JSON {"a": [1]} of {x}'}, {"input": {"x": "v"}}),
    ("alpaca", {"instruction": "one {a}"}, {"input": {"a": 1}}),
    ("alpaca", {"instruction": "one {a}"}, {"input": {"a": None}}),
    ("chat", {"instruction": "one {a}"}, {"input": {"a": ["x"]}}),
]
OLDER: list[tuple[str, dict[str, Any], dict[str, Any]]] = [  # what 0.1.1 took and 0.1.2 refuses
    ("alpaca", {"instruction": "one {a}"}, {"input": {"a": 1}}),
    ("chat", {"instruction": "one {a} {b}"}, {"input": {"a": True, "b": 1.5}}),
]
RESPONSES: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("alpaca", {}, "p ### Response:\nyes", None),
    ("alpaca", {}, "### Response: a ### Response: b", None),
    ("alpaca", {}, "nothing", None),
    ("alpaca", {}, "prompt and reply", "prompt"),
    ("alpaca", {}, "### Response: reply", "other"),
    ("chat", {}, "x<|Assistant|>:\nyes", None),
    ("chat", {}, "nothing", None),
    ("chat", {"soa": "[A]"}, "x[A]y[A]z", None),
    ("chat", {}, "x<|Assistant|>:y", "x<|Assistant|>:"),
]


def make(prompters: Any, kind: str, made: dict[str, Any]) -> Any:
    made = copy.deepcopy(made)
    marks = made.pop("marks", {})
    if "extra_keys" in made:
        made["extro_keys"] = made.pop("extra_keys")
    prompter = {"alpaca": prompters.AlpacaPrompter, "chat": prompters.ChatPrompter}[kind](**made)
    prompter._set_model_configs(**marks)
    return prompter


def outcome(prompters: Any, kind: str, made: dict[str, Any], call: dict[str, Any], return_dict: bool) -> Any:
    try:
        return make(prompters, kind, made).generate_prompt(**copy.deepcopy(call), return_dict=return_dict)
    except Exception as error:  # noqa: BLE001 -- whatever it raises is the finding
        return {"error": type(error).__name__}


def main() -> None:
    prompters = load_prompters()
    cases = CASES + (OLDER if VERSION == "0.1.1" else NEWER)
    record = {
        "versions": {"lazyllm": VERSION, "python": sys.version.split()[0]},
        "prompts": [
            {
                "kind": kind,
                "made": made,
                "call": call,
                "text": outcome(prompters, kind, made, call, False),
                "messages": outcome(prompters, kind, made, call, True),
            }
            for kind, made, call in cases
        ],
        "responses": [
            {
                "kind": kind,
                "marks": marks,
                "output": output,
                "input": given,
                "response": make(prompters, kind, {"instruction": "x", "marks": marks}).get_response(output, given),
            }
            for kind, marks, output, given in RESPONSES
        ],
    }
    TARGET.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
