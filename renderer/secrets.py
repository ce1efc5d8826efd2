"""Secrets in documents and samples: versions are kept for ever and mirrored, so a key is refused before it is saved."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Secret", "find"]


@dataclass(frozen=True, slots=True)
class Secret:
    """`start` and `end` are offsets; `sure` is False where only the look of it is suspicious."""

    kind: str
    start: int
    end: int
    sure: bool = True


_KINDS = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
    "an AWS access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "an Anthropic API key": r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    "an OpenAI API key": r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b",
    "a GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "a Google API key": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "a Stripe key": r"\b[rs]k_live_[A-Za-z0-9]{20,}\b",
    "a signed web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "a key of this registry": r"\bp[bt]_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{40,}\b",
    "a password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s:/@{}]+:[^\s:/@{}]{6,}@[^\s/]",
}
_SURE = [(kind, re.compile(pattern)) for kind, pattern in _KINDS.items()]
_ASSIGNED = re.compile(
    r"(?i)\b(?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token)\b[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9/+_.=-]{20,})"
)


def find(text: str) -> Iterator[Secret]:
    """What looks like a credential, in no order; overlapping finds are given once."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _SURE:
        for match in pattern.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in taken):
                taken.append(match.span())
                yield Secret(kind, match.start(), match.end())
    for match in _ASSIGNED.finditer(text):
        start, end = match.span(1)
        if _is_random(match.group(1)) and not any(a < end and start < b for a, b in taken):
            yield Secret("a secret", start, end, sure=False)


def _is_random(text: str) -> bool:
    """Words have less than three bits a character, keys have more; a key has digits."""
    if not any(character.isdigit() for character in text):
        return False
    counts = Counter(text)
    bits = -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
    return bits > 3.2
