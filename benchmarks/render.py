"""How fast a chat prompt is rendered, counted and cut: `python benchmarks/render.py`, some minutes.

One chat template (a system part, N turns of about 40 words, a question) in each library's own form, compared with

* plain Jinja rendering, and plain Jinja + the `tokenizers` package + a greedy cut: the floor, without any checks,
* prompt-poet, hermes-cai, haystack and langchain, if they are installed.

Ours runs with declared inputs and all default checks. All share one vocabulary, one thread and one run, interleaved;
the figures are medians of CPU time, so read the ratios. Short calls are repeated with new data until they take about as
long as one of 1000 turns, so code and processor caches are warm, as in a service.

All templates are compiled beforehand, ours and the others'. "Cold" rows use texts that no cache contains, made of the
words of Python's own manual. Single words are cached across texts: up to 10,000 by the `tokenizers` package, in every
row, and more by ours. The row "no word remembered" clears our cache before each call, so only the words of its own data
are cached.

    python -m venv /tmp/bench && /tmp/bench/bin/pip install . prompt-poet==0.0.52 hermes-cai haystack-ai langchain-core
    /tmp/bench/bin/python benchmarks/render.py [--quick]
"""

import argparse
import functools
import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import jinja2

from benchmarks.baseline import record_ratio
from benchmarks.chat_prompt import BODY, FRONT, PLAIN, SYSTEM, build_chat
from benchmarks.chat_prompt_peers import Peers
from promptuary import renderer
from promptuary.renderer.tokens.base import Memory
from promptuary.renderer.tokens.tokenizers import VocabularyTokenizer, find_tokenizer
from promptuary.renderer.tokens.word_cache import WordMemory
from promptuary.renderer.truncation import fitting
from promptuary.renderer.truncation import plan as truncation_plan

SIZES = (10, 100, 1000, 5000)
PLAIN_JINJA = ("plain Jinja", "Jinja + tokenizers + greedy cut")  # what is compared with where no other program is
Timed = dict[str, Callable[[Any], Any]]


def measure(
    timed: Timed, make: Callable[[int], Any], rounds: int, size: int, before: Callable[[], None] | None = None
) -> dict[str, float]:
    """Median CPU milliseconds of interleaved calls. `make` creates the argument of each call and isn't measured."""
    times: dict[str, list[float]] = {name: [] for name in timed}
    repeated, salt = max(1, 1000 // size), 0
    for turn in range(rounds + 1):
        for name, call in timed.items():
            values = [make(salt + place) for place in range(repeated)]
            salt += repeated
            if before:
                before()
            gc.collect()
            start = time.process_time()
            for value in values:
                call(value)
            if turn:  # the first round warms up compiled templates
                times[name].append((time.process_time() - start) * 1000 / repeated)
    return {name: statistics.median(durations) for name, durations in times.items()}


def show(title: str, results: dict[int, dict[str, float]], base: str, ours: str) -> None:
    print(f"\n{title}\n{'':44}" + "".join(f"{f'N={size}':>22}" for size in results))
    for name in next(iter(results.values())):
        row = ""
        for medians in results.values():
            if name not in medians:
                row += f"{'-':>22}"
                continue
            ratio = medians[name] / medians[base]
            row += f"{medians[name]:>11.3f} ms {ratio:>5.2f}x " if medians[name] else f"{'0':>22}"
        print(f"{name:44}{row}")
    if base in PLAIN_JINJA and ours in medians:
        record_ratio(f"{title}: {base} / ours", statistics.median(each[base] / each[ours] for each in results.values()))
    for name in next(iter(results.values())):
        if (
            name not in (base, ours)
            and name.startswith(("prompt-poet", "hermes", "langchain", "haystack"))
            and ours in medians
        ):
            ratios = [medians[name] / medians[ours] for medians in results.values() if name in medians]
            record_ratio(f"{title}: {name} / ours", statistics.median(ratios))
            print(f"  ours is faster than {name}: {', '.join(f'{ratio:.1f}' for ratio in ratios)} times")


def cut_greedily(counts: list[int], limit: int) -> int:
    """The floor for truncation: the first turns are dropped until the rest fits."""
    total, first = sum(counts), 1
    while total > limit and first < len(counts) - 1:
        total -= counts[first]
        first += 1
    return first


def refuse_to_shrink(part: Any, tokens: int) -> Any:
    """Raise an error: parts of this chat don't shrink."""
    raise AssertionError(part, tokens)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="sizes up to 1000 and few rounds")
    chosen = options.parse_args()
    sizes = SIZES[:3] if chosen.quick else SIZES
    tokenizer = find_tokenizer("o200k_base")
    if not isinstance(tokenizer, VocabularyTokenizer):
        raise SystemExit("the o200k_base vocabulary is not installed")
    bench = Bench(tokenizer, 5 if chosen.quick else 9)
    bench.measure_rendering(sizes)
    bench.measure_whole(sizes)
    bench.measure_cut(sizes)
    bench.measure_targets(sizes)
    bench.measure_growing_chat(1000)
    bench.measure_import()


class Bench:
    """The template in each library's form, and the measurements."""

    def __init__(self, tokenizer: VocabularyTokenizer, rounds: int) -> None:
        self.tokenizer = tokenizer
        self.core = tokenizer._core
        self.rounds = rounds
        self.template = renderer.load(FRONT + BODY.replace("escape_special_characters(turn.text)", "turn.text"))
        self.plain = jinja2.Environment(autoescape=False).from_string(PLAIN)
        peers = Peers(self.core)
        self.poet, self.hermes = peers.build_prompt_poet(), peers.build_hermes()
        self.haystack, self.langchain = peers.build_haystack(), peers.build_langchain()

    def render_parts(self, values: dict[str, Any]) -> Any:
        checked, _ = self.template.inputs.prepare(values, "ignore")
        return self.template.body.build_parts({**checked, "token_limit": -1})[0]

    def clear_caches(self, words: bool = False) -> None:
        self.tokenizer._memory = Memory(64 * 1024 * 1024)
        if words:
            self.tokenizer._words = WordMemory(self.tokenizer._encode_whole, self.core.id_to_token)

    def measure_rendering(self, sizes: tuple[int, ...]) -> None:
        results = {}
        for size in sizes:
            timed: Timed = {"plain Jinja": self.plain.render, "promptuary, to parts": self.render_parts}
            if self.poet:
                timed["prompt-poet, to parts (cached template)"] = self.poet
            if self.langchain:
                timed["langchain ChatPromptTemplate"] = self.langchain
            if self.haystack:
                timed["haystack PromptBuilder (text only)"] = self.haystack
            results[size] = measure(timed, functools.partial(build_chat, size), self.rounds, size)
        show("Render to parts", results, "plain Jinja", "promptuary, to parts")

    def measure_whole(self, sizes: tuple[int, ...]) -> None:
        results = {}
        for size in sizes:
            limit = sum(len(self.core.encode(turn["text"]).ids) for turn in build_chat(size, 0)["turns"]) // 2 + 30

            def render_with_jinja(values: Any, limit: int = limit) -> None:
                self.plain.render(values)
                turns = [f"{turn['author']}: {turn['text']}" for turn in values["turns"]]
                texts = [SYSTEM, *turns, values["question"]]
                encodings = self.core.encode_batch_fast(texts, add_special_tokens=False)
                cut_greedily([len(encoding.ids) for encoding in encodings], limit)

            def render(values: Any, limit: int = limit) -> None:
                self.template.render(values, token_limit=limit, tokenizer=self.tokenizer)

            def render_without_words(values: Any, limit: int = limit) -> None:
                self.clear_caches(words=True)
                self.template.render(values, token_limit=limit, tokenizer=self.tokenizer)

            def render_with_poet(values: Any, limit: int = limit) -> None:
                prompt = self.poet(values, token_limit=limit, truncation_step=1)
                prompt.tokenize()
                prompt.truncate()

            make, rounds = functools.partial(build_chat, size), self.rounds if size < 5000 else 5
            self.clear_caches()
            timed: Timed = {"Jinja + tokenizers + greedy cut": render_with_jinja, "promptuary": render}
            if self.poet:
                timed["prompt-poet"] = render_with_poet
            if self.hermes and size <= 1000:
                timed["hermes-cai"] = lambda values, limit=limit: self.hermes(values, limit + 250)
            results[size] = measure(timed, make, rounds, size, self.clear_caches)
            # Measured separately, since it clears the words that the others remember.
            results[size] |= measure({"promptuary, no word remembered": render_without_words}, make, rounds, size)
        show("Render, count and cut to half, cold", results, "Jinja + tokenizers + greedy cut", "promptuary")

    def measure_cut(self, sizes: tuple[int, ...]) -> None:
        results = {}
        for size in sizes:
            parts = self.render_parts(build_chat(size, 1))
            counts = [self.tokenizer.count(part.content) for part in parts]
            limit = sum(counts) // 2

            def choose_cut(_: Any, parts: Any = parts, counts: Any = counts, limit: int = limit) -> None:
                plan = truncation_plan.Plan(parts, counts, counts, keep_last=0, keep_pairs=False)
                plan.take(sum(counts) - limit, refuse_to_shrink)

            timed: Timed = {
                "greedy cut over lengths": lambda _, counts=counts, limit=limit: cut_greedily(counts, limit),
                "promptuary, the cut over lengths": choose_cut,
                "promptuary, with counting and the report": lambda _, parts=parts, limit=limit: fitting.fit_parts(
                    parts, self.tokenizer, limit=limit
                ),
            }
            if self.poet:
                prompt = self.poet(build_chat(size, 1), token_limit=limit, truncation_step=1)
                prompt.tokenize()
                timed["prompt-poet truncate()"] = lambda _, prompt=prompt: prompt.truncate()
            results[size] = measure(timed, int, self.rounds * 2, max(1, size // 20))
        show("Truncate to half", results, "greedy cut over lengths", "promptuary, with counting and the report")

    def measure_targets(self, sizes: tuple[int, ...]) -> None:
        results = {}
        for size in sizes:
            prompt = self.template.render(build_chat(size, 1), tokenizer=self.tokenizer)
            timed: Timed = {
                "promptuary .text": lambda _, prompt=prompt: prompt.text,
                "promptuary .tokens": lambda _, prompt=prompt: prompt.tokens,
                "promptuary .messages": lambda _, prompt=prompt: prompt.messages,
            }
            results[size] = measure(timed, int, self.rounds, size)
            if self.poet:
                # It caches results, so each call gets a new prompt.
                results[size] |= measure(
                    {"prompt-poet .string": lambda prompt: prompt.string,
                        "prompt-poet .tokens": lambda prompt: prompt.tokens},
                    functools.partial(self.count_prompt, size), 3, 1000,
                )  # fmt: skip
        show("Targets", results, "promptuary .text", "promptuary .tokens")
        sizes_of = ", ".join(
            f"N={size} {medians['promptuary .tokens'] * 1000 / size:.2f}" for size, medians in results.items()
        )
        print(f"  .tokens, microseconds a turn: {sizes_of}")

    def count_prompt(self, size: int, salt: int) -> Any:
        prompt = self.poet(build_chat(size, salt))  # type: ignore[misc]  # called if it is there
        prompt.tokenize()
        return prompt

    def measure_growing_chat(self, size: int) -> None:
        """One more turn than last time, all earlier ones already seen."""
        values = build_chat(size + 10 * self.rounds, 7)
        limit = 10_000_000

        def cut_chat(salt: int) -> dict[str, Any]:
            return {**values, "turns": values["turns"][: size + salt]}

        self.clear_caches()
        self.template.render(cut_chat(0), token_limit=limit, tokenizer=self.tokenizer)
        timed: Timed = {
            "promptuary, next turn": lambda values: self.template.render(
                values, token_limit=limit, tokenizer=self.tokenizer
            ),
        }
        if self.poet:

            def render_with_poet(values: Any) -> None:
                prompt = self.poet(values, token_limit=limit, truncation_step=1)
                prompt.tokenize()
                prompt.truncate()

            timed["prompt-poet, next turn"] = render_with_poet
        results = {size: measure(timed, cut_chat, self.rounds, size)}
        show("A growing chat, its next turn", results, "promptuary, next turn", "promptuary, next turn")

    def measure_import(self) -> None:
        print("\nImport\n" + " " * 44 + f"{'CPU ms':>10}{'RSS MB':>10}")
        modules = ["promptuary.renderer", "promptuary.renderer.template", *(["prompt_poet"] if self.poet else [])]
        medians = {}
        for module in modules:
            code = (
                f"import time; start = time.process_time(); import {module}; spent = time.process_time() - start\n"
                "memory = next(line for line in open('/proc/self/status') if line.startswith('VmRSS'))\n"
                "print(spent * 1000, int(memory.split()[1]) / 1024)"
            )
            runs = [
                list(map(float,
                    subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
                        check=True).stdout.split()))
                for _ in range(5)
            ]  # fmt: skip
            medians[module] = [statistics.median(column) for column in zip(*runs, strict=True)]
            print(f"{module:44}{medians[module][0]:>10.0f}{medians[module][1]:>10.0f}")
        if self.poet:
            ours, theirs = medians["promptuary.renderer"], medians["prompt_poet"]
            print(f"  ours is {ours[0] / theirs[0]:.2f} of its time and {ours[1] / theirs[1]:.2f} of its memory")


if __name__ == "__main__":
    main()
