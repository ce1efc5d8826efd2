"""Record which parts prompt-poet keeps of three hundred made-up prompts, at many limits and steps.

Run it in an environment of its own, then commit the JSON; the tests read only that:

    python -m venv /tmp/poet && /tmp/poet/bin/pip install prompt-poet==0.0.52
    /tmp/poet/bin/python tests/oracles/record_truncation.py

Tokens are words. A case is [[[priority, words] of each part], limit, step, indices of the parts kept or null for an
error].
"""

import json
import random
from importlib.metadata import version
from pathlib import Path

from prompt_poet import Prompt

TARGET = Path(__file__).parent / "truncation.json"
PRIORITIES, LENGTHS, STEPS = (0, 0, 1, 1, 1, 2, 5, -1), (0, 1, 1, 2, 3, 5, 8), (1, 1, 2, 3, 5, 10, 1000)


def kept(rows: list[list[int]], limit: int, step: int) -> list[int] | None:
    template = "".join(
        f"- name: p{at}\n  truncation_priority: {priority}\n  content: '{'w ' * words}'\n"
        for at, (priority, words) in enumerate(rows)
    )
    prompt = Prompt(
        template_data={}, raw_template=template, encode_func=str.split, token_limit=limit, truncation_step=step
    )
    prompt.tokenize()
    try:
        prompt.truncate()
    except Exception as error:
        if type(error).__name__ != "TruncationError":
            raise
        return None
    return [int(part.name[1:]) for part in prompt.parts]


def main() -> None:
    dice = random.Random(7)
    cases = []
    for _ in range(300):
        rows = [[dice.choice(PRIORITIES), dice.choice(LENGTHS)] for _ in range(dice.randint(1, 14))]
        limit, step = dice.randint(1, 35), dice.choice(STEPS)
        cases.append([rows, limit, step, kept(rows, limit, step)])
    body = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    TARGET.write_text(f'{{"prompt-poet": "{version("prompt-poet")}", "cases": [\n{body}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
