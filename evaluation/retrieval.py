"""Retrieval by the words of a query, so that a chain can run over a corpus without a server."""

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from typing import Any

from promptuary.evaluation.errors import EvaluationError
from promptuary.renderer.digest import encode_canonical_json

__all__ = ["KeywordRetriever"]

_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75  # Robertson and Zaragoza 2009: saturation of repeated words (k1) and weight of length (b)


class KeywordRetriever:
    """A runnable that ranks documents by BM25: input `query`, output `documents`, best first, each with its `score`.

    Documents are mappings with `id` and `content`; a title under `meta` is searched too. All are held in memory.
    """

    inputs = ("query",)

    def __init__(self, documents: Iterable[Mapping[str, Any]], *, k: int = 10, name: str = "retriever") -> None:
        if k < 1:
            raise EvaluationError(f"k is the number of documents to retrieve, at least 1, not {k}")
        self.name, self.k = name, k
        self._documents = [dict(document) for document in documents]
        words = [Counter(_list_words(document)) for document in self._documents]
        self._lengths = [counts.total() for counts in words]
        self._mean_length = sum(self._lengths) / max(1, len(words)) or 1.0
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, counts in enumerate(words):
            for word, count in counts.items():
                self._places[word].append((index, count))
        self.definition = {"kind": "keyword retriever", "name": name, "k": k, "corpus": self._digest_corpus()}
        self.digest = "sha256:" + hashlib.sha256(encode_canonical_json(self.definition)).hexdigest()

    def _digest_corpus(self) -> str:
        digest = hashlib.sha256()
        for document in self._documents:
            digest.update(encode_canonical_json(document) + b"\n")
        return f"sha256:{digest.hexdigest()}"

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the `k` best documents that share a word with the query; ties keep the order of the corpus."""
        scores: dict[int, float] = defaultdict(float)
        for word, repeats in Counter(_split_words(str(inputs["query"]))).items():
            places = self._places.get(word, [])
            weight = repeats * math.log(1 + (len(self._documents) - len(places) + 0.5) / (len(places) + 0.5))
            for index, count in places:
                scores[index] += weight * self._saturate_count(count, self._lengths[index])
        best = nsmallest(self.k, scores.items(), key=lambda pair: (-pair[1], pair[0]))
        return {"documents": [{**self._documents[index], "score": score} for index, score in best]}

    def _saturate_count(self, count: int, length: int) -> float:
        return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length / self._mean_length))


def _list_words(document: Mapping[str, Any]) -> list[str]:
    content, meta = document.get("content"), document.get("meta")
    if not isinstance(content, str):
        raise EvaluationError(f"the document {document.get('id')!r} has no text as `content`")
    title = meta.get("title") if isinstance(meta, Mapping) else None
    return _split_words(f"{title or ''} {content}")


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
