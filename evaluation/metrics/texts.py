"""Text metrics: BLEU and chrF by sacrebleu, ROUGE by rouge-score.

BLEU and chrF are corpus values from 0 to 100; the rows' own values are sacrebleu's sentence scores. ROUGE is the
F-measure from 0 to 1, best reference taken, and the corpus value its mean.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from promptuary.evaluation.errors import MetricError
from promptuary.evaluation.metrics.row_values import answer_texts, list_golds
from promptuary.evaluation.optional import import_optional

__all__ = ["WordTokenizer", "bleu", "chrf", "rouge"]

# Words of letters, their marks, and digits in any script; scripts written without spaces are split into characters.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"


@lru_cache(maxsize=1)
def _compile_words() -> re.Pattern[str]:
    # `\w` excludes the vowel signs of Indic scripts and the points of Arabic and Hebrew, which would split words there.
    signs = "".join(sign for sign in map(chr, range(0x300, 0x1D000)) if unicodedata.category(sign) in ("Mn", "Mc"))
    return re.compile(rf"[{_UNSPACED}]|(?:[^\W_{_UNSPACED}](?:(?![{_UNSPACED}])[{signs}])*)+")


_SHORT = 3  # a word of this many letters or fewer is not stemmed


class WordTokenizer:
    """A tokenizer for rouge-score that works beyond English; the same as rouge-score's own on lower-case ASCII."""

    def __init__(self, stem: bool = False) -> None:
        self._stemmer = import_optional("nltk.stem.porter", extra="evaluation").PorterStemmer() if stem else None

    def tokenize(self, text: str) -> list[str]:
        """Lower-case words, stemmed if `stem` is set, and single characters of scripts written without spaces."""
        words = _compile_words().findall(unicodedata.normalize("NFC", text).lower())
        if self._stemmer is None:
            return words
        # As in rouge-score, short words aren't stemmed. Neither are words in other scripts.
        return [self._stemmer.stem(word) if len(word) > _SHORT and word.isascii() else word for word in words]


def bleu(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], **options: Any
) -> tuple[float, list[float]]:
    """sacrebleu's corpus BLEU and the sentence values. Takes sacrebleu's options (tokenize, smooth_method …)."""
    metrics = import_optional("sacrebleu.metrics", extra="evaluation")
    corpus, sentence = metrics.BLEU(**options), metrics.BLEU(**{**options, "effective_order": True})
    return _score_with_sacrebleu(corpus, sentence, expected, actual, rows)


def chrf(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], **options: Any
) -> tuple[float, list[float]]:
    """sacrebleu's corpus chrF and the sentence values. Options are sacrebleu's (char_order, word_order, beta …)."""
    metric = import_optional("sacrebleu.metrics", extra="evaluation").CHRF(**options)
    return _score_with_sacrebleu(metric, metric, expected, actual, rows)


def rouge(
    kind: str, expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, stem: bool = False
) -> tuple[float, list[float]]:
    """The mean F-measure and each row's; kind is rouge1, rouge2 or rougeL.

    stem: compare the (Porter) stems of English words longer than three letters, like rouge-score's `use_stemmer`.
    """
    if not isinstance(stem, bool):
        raise MetricError(f"`stem` is true or false, not {stem!r}")
    scorer = import_optional("rouge_score.rouge_scorer", extra="evaluation").RougeScorer(
        [kind], tokenizer=WordTokenizer(stem)
    )
    values = [
        max(
            (
                scorer.score_multi(list_golds(gold, row), answer)[kind].fmeasure
                for answer in answer_texts(answer_value, row)
            ),
            default=0.0,
        )
        for gold, answer_value, row in zip(expected, actual, rows, strict=True)
    ]
    return sum(values) / len(values), [float(value) for value in values]


def _score_with_sacrebleu(
    corpus: Any, sentence: Any, expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int]
) -> tuple[float, list[float]]:
    # A corpus value takes one answer per row: the first, as the component ranked them, or an empty one.
    answers = [next(iter(answer_texts(answer_value, row)), "") for answer_value, row in zip(actual, rows, strict=True)]
    references = [list_golds(gold, row) for gold, row in zip(expected, rows, strict=True)]
    column_count = max(len(row) for row in references)
    # sacrebleu takes one list per n-th reference of all rows, with None for rows that have fewer.
    columns = [[row[n] if n < len(row) else None for row in references] for n in range(column_count)]
    values = [
        float(sentence.sentence_score(answer, row).score) for answer, row in zip(answers, references, strict=True)
    ]
    return float(corpus.corpus_score(answers, columns).score), values
