"""Usage counts of a client, kept in memory and reported to the registry: numbers and names only.

Counting takes a microsecond and no I/O. Values are never recorded: of the data, only the names of the inputs are.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from promptuary._outcomes import Outcomes, check_scores
from promptuary.renderer.errors import RenderError
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.prompt import Prompt

if TYPE_CHECKING:
    from promptuary.renderer.tokens import tokenizers, vocabularies
else:
    tokenizers = Deferred("promptuary.renderer.tokens.tokenizers")
    vocabularies = Deferred("promptuary.renderer.tokens.vocabularies")

__all__ = ["Rendered", "Usage"]

MAX_DIGESTS = 500  # the limit of one report
MAX_NAMES = 200
MAX_CODES = 50
MAX_NAME_LENGTH = 100
MAX_UNCOUNTED = 1000  # prompts waiting to be counted for the report
MAX_CHARACTERS = 4_000_000  # of all of these together


class Rendered(Protocol):
    """The fields of a template that counting needs."""

    name: str | None

    @property
    def digest(self) -> str: ...


class _Counts:
    __slots__ = ("cut", "failures", "inputs", "renders", "tokens")

    def __init__(self) -> None:
        self.renders = 0
        self.cut = 0
        self.failures: Counter[str] = Counter()
        self.tokens: Counter[int] = Counter()
        self.inputs: Counter[str] = Counter()

    def add(self, other: "_Counts") -> None:
        self.renders += other.renders
        self.cut += other.cut
        self.failures.update(other.failures)
        self.tokens.update(other.tokens)
        self.inputs.update(other.inputs)


class Usage:
    """Counts by name and digest since the last report. Thread-safe.

    `failed` is how many reports were not delivered (their counts go into the next one), `dropped` how many renders and
    failures were not counted because there were too many different templates.
    """

    def __init__(self, on_first: Callable[[], object] | None = None) -> None:
        """`on_first` is called when there is something to report again."""
        self.failed = 0
        self.dropped = 0
        self._on_first = on_first
        self.outcomes = Outcomes()
        self.renew()

    def renew(self) -> None:
        """Clear, in a child after a fork: the parent reports its own counts."""
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], _Counts] = {}
        self._uncounted: deque[tuple[_Counts, Prompt, int]] = deque()
        self._characters = 0
        self.outcomes.renew()

    def count_renders(
        self,
        template: Rendered,
        tokens: Sequence[int],
        data: Mapping[str, Any] | None,
        uncounted: Sequence[Prompt] = (),
        cut: int = 0,
    ) -> None:
        """Count rendered prompts, given their token counts. `uncounted` prompts are counted when the report is made.

        `cut` is how many of them lost text to the token limit.
        """
        with self._lock:
            counts = self._find_counts(template)
            if counts is None:
                return
            counts.renders += len(tokens) + len(uncounted)
            counts.cut += cut
            counts.tokens.update(map(_round_up, tokens))
            _note(counts.inputs, data or (), len(tokens) + len(uncounted))
            for prompt in uncounted:
                size = sum(len(part.content) for part in prompt.parts)
                self._uncounted.append((counts, prompt, size))
                self._characters += size
            while self._characters > MAX_CHARACTERS or len(self._uncounted) > MAX_UNCOUNTED:
                self._characters -= self._uncounted.popleft()[2]

    def count_failure(self, template: Rendered, code: str, data: Mapping[str, Any] | None) -> None:
        """Count a failed rendering, by the problem's code."""
        with self._lock:
            counts = self._find_counts(template)
            if counts is not None and (code in counts.failures or len(counts.failures) < MAX_CODES):
                counts.failures[code] += 1

    def note_outcomes(
        self, template: Rendered, scores: Mapping[str, float], trace_id: str | None, bucket: str | None
    ) -> None:
        """Queue the scores of one reply for the next report. Raises ValueError for an invalid name or number."""
        numbers = check_scores(scores, trace_id, bucket)
        place = {"template": template.name or "", "digest": template.digest}
        ids = {name: text for name, text in (("trace_id", trace_id), ("bucket", bucket)) if text is not None}
        is_first = not len(self.outcomes)
        self.outcomes.add({**place, "name": name, "value": value, **ids} for name, value in numbers.items())
        if is_first and self._on_first is not None:
            self._on_first()

    def take(self, *, may_load: bool = True) -> list[dict[str, Any]]:
        """Return the counts in the form of a report, and reset them to zero.

        Prompts not counted yet are counted now, with vocabularies on this machine or, without `may_load`, with those
        that this process has read.
        """
        with self._lock:
            taken_counts, self._counts = self._counts, {}
            uncounted, self._uncounted, self._characters = self._uncounted, deque(), 0
        for template, prompt, _ in uncounted:
            number = _count(prompt, may_load)
            if number is not None:
                template.tokens[_round_up(number)] += 1
        return [
            {
                "name": name,
                "digest": digest,
                "renders": counts.renders,
                **({"cut": counts.cut} if counts.cut else {}),  # older registries refuse the field
                "failures": dict(counts.failures),
                "tokens": {str(tokens): count for tokens, count in counts.tokens.items()},
                "inputs": dict(counts.inputs),
            }
            for (name, digest), counts in taken_counts.items()
        ]

    def give_back(self, reports: Iterable[Mapping[str, Any]]) -> None:
        """Add an undelivered report to the next one."""
        with self._lock:
            self.failed += 1
            for report in reports:
                counts = _Counts()
                counts.renders = report["renders"]
                counts.cut = report.get("cut", 0)
                counts.failures.update(report["failures"])
                counts.tokens.update({int(tokens): count for tokens, count in report["tokens"].items()})
                counts.inputs.update(report["inputs"])
                waiting_counts = self._counts.setdefault((report["name"], report["digest"]), counts)
                if waiting_counts is not counts:
                    waiting_counts.add(counts)

    def _find_counts(self, template: Rendered) -> _Counts | None:
        key = (template.name or "", template.digest)
        counts = self._counts.get(key)
        if counts is None:
            if len(self._counts) >= MAX_DIGESTS:
                self.dropped += 1
                return None
            if not self._counts and self._on_first is not None:
                self._on_first()
            counts = self._counts[key] = _Counts()
        return counts


def _note(inputs: Counter[str], names: Iterable[Any], times: int) -> None:
    for name in names:
        if name in inputs or (isinstance(name, str) and len(name) <= MAX_NAME_LENGTH and len(inputs) < MAX_NAMES):
            inputs[name] += times


def _count(prompt: Prompt, may_load: bool) -> int | None:
    """The tokens, if the vocabulary is on this machine: a report doesn't justify fetching one."""
    name = prompt.tokenizer["name"]
    if prompt.counts.known is None and not (tokenizers.is_loaded(name) or (may_load and vocabularies.is_at_hand(name))):
        return None
    try:
        return prompt.token_count
    except RenderError:
        return None


def _round_up(tokens: int) -> int:
    """Round up to two significant digits: 812 becomes 820."""
    unit = int(10 ** max(len(str(tokens)) - 2, 0))
    return -(-tokens // unit) * unit
