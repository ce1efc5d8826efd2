"""Known vocabularies that are read when something is first counted, and how many tokens a text can have at most."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from promptuary.renderer.errors import TokenizerError
from promptuary.renderer.tokens import tokenizers, vocabularies
from promptuary.renderer.tokens.base import UNKNOWN_ID, Ids, RememberingTokenizer, Span, Tokenizer, merged_spans

__all__ = ["LazyTokenizer", "UpperBound", "find_lazy_tokenizer", "most_tokens", "pinned_revision"]


class LazyTokenizer:
    """A known vocabulary that is read when something is first counted; until then it says how long a text can get at
    most.

    Threads may share it. Counting raises MissingVocabularyError if the vocabulary can't be had.
    """

    exact = True

    def __init__(self, name: str, source: vocabularies.VocabularySource | None = None) -> None:
        self.name = name
        self.revision = pinned_revision(name)
        self._source = source

    def most_tokens(self, text: str) -> int:
        """A number of tokens that the text can't exceed; needs no vocabulary."""
        return most_tokens(self.name, text)

    def encode(self, text: str) -> list[Any]:
        return self.loaded().encode(text)

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        return self.loaded().encode_many(texts)

    def encode_markup(self, text: str, marks: Mapping[str, int | None]) -> Ids:
        return self.loaded().encode_markup(text, marks)

    def count(self, text: str) -> int:
        return self.loaded().count(text)

    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        return self.loaded().count_spans(text, spans)

    def borders(self, text: str) -> list[int]:
        return self.loaded().borders(text)

    def loaded(self) -> Tokenizer:
        """The tokenizer itself, read now. Raises MissingVocabularyError if the vocabulary can't be had."""
        return tokenizers.load_vocabulary(self.name, self._source)


class UpperBound(RememberingTokenizer):
    """Takes the place of a vocabulary that can't be had: for every text the most tokens that it can have."""

    exact = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.revision = name, pinned_revision(name)

    def _most(self, text: str) -> int:
        return most_tokens(self.name, text)

    def encode_new(self, texts: list[str]) -> Iterable[Sequence[int]]:
        return ([UNKNOWN_ID] * self._most(text) for text in texts)

    def encode_markup(self, text: str, marks: Mapping[str, int | None]) -> Ids:
        """As in `targets.most_tokens`: a vocabulary may add a token wherever a mark ends."""
        return [UNKNOWN_ID] * sum(map(self._most, text))

    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        return sum(self._most(text[start:end]) for start, end in merged_spans(spans))

    def borders(self, text: str) -> list[int]:
        return list(range(1, len(text) + 1))


def most_tokens(name: str, text: str) -> int:
    """Return a number of tokens that the text can't exceed in this vocabulary, without reading the vocabulary.

    A token of a byte level vocabulary is at least one byte. NFC makes UTF-8 at most three times as long, and leaves
    ASCII alone. SentencePiece puts one space in front, and takes a character it doesn't know apart into its bytes.
    Raises TokenizerError for a lone surrogate, as counting does.
    """
    source = vocabularies.VOCABULARIES[name]
    size = len(text)
    if not text.isascii():
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise TokenizerError(
                "The text has a lone surrogate, which is not a character and has no tokens."
            ) from error
        if source.nfc:
            size *= 3
    return size + 1 if source.form == "sentencepiece" and text else size


def pinned_revision(name: str) -> str:
    """Return the sha256 of a known vocabulary, or empty."""
    source = vocabularies.VOCABULARIES.get(name)
    return source.sha256 if source else ""


def find_lazy_tokenizer(
    choice: tokenizers.Wanted = None, source: vocabularies.VocabularySource | None = None
) -> Tokenizer:
    """As `tokenizers.find_tokenizer`, but a known vocabulary is read, or fetched from `source`, at the first count."""
    name = tokenizers.DEFAULT if choice is None else choice
    if isinstance(name, str) and name in vocabularies.VOCABULARIES:
        return LazyTokenizer(name, source)
    if isinstance(choice, LazyTokenizer):
        return choice
    return tokenizers.find_tokenizer(choice, source)
