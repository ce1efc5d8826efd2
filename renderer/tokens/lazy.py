"""Known vocabularies that are loaded on the first count, and upper bounds on the tokens of a text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from promptuary.renderer.errors import TokenizerError
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.tokens.base import UNKNOWN_ID, Ids, RememberingTokenizer, Span, Tokenizer, merge_spans
from promptuary.renderer.tokens.vocabulary_catalogue import DEFAULT, VOCABULARIES, VocabularySource

if TYPE_CHECKING:
    from promptuary.renderer.tokens import tokenizers
else:  # half a megabyte of code that a prompt which surely fits doesn't need
    tokenizers = Deferred("promptuary.renderer.tokens.tokenizers")

__all__ = ["LazyTokenizer", "UpperBound", "find_lazy_tokenizer", "find_pinned_revision", "most_tokens"]


class LazyTokenizer:
    """A known vocabulary that is loaded on the first count; until then it has upper bounds on tokens.

    Thread-safe. Counting raises MissingVocabularyError if the vocabulary isn't available.
    """

    exact = True

    def __init__(self, name: str, source: VocabularySource | None = None) -> None:
        self.name = name
        self.revision = find_pinned_revision(name)
        self._source = source

    def most_tokens(self, text: str) -> int:
        """Return an upper bound on the tokens of the text, without the vocabulary."""
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

    def find_boundaries(self, text: str) -> list[int]:
        return self.loaded().find_boundaries(text)

    def loaded(self) -> Tokenizer:
        """Load and return the tokenizer itself. Raises MissingVocabularyError if the vocabulary isn't available."""
        return tokenizers.load_vocabulary(self.name, self._source)


class UpperBound(RememberingTokenizer):
    """Replaces a vocabulary that isn't available: counts the maximum tokens that each text can have."""

    exact = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.revision = name, find_pinned_revision(name)

    def _bound_tokens(self, text: str) -> int:
        return most_tokens(self.name, text)

    def encode_new(self, texts: list[str]) -> Iterable[Sequence[int]]:
        return ([UNKNOWN_ID] * self._bound_tokens(text) for text in texts)

    def encode_markup(self, text: str, marks: Mapping[str, int | None]) -> Ids:
        """As in `targets.most_tokens`: a vocabulary may add a token after each mark."""
        return [UNKNOWN_ID] * sum(map(self._bound_tokens, text))

    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        return sum(self._bound_tokens(text[start:end]) for start, end in merge_spans(spans))

    def find_boundaries(self, text: str) -> list[int]:
        return list(range(1, len(text) + 1))


def most_tokens(name: str, text: str) -> int:
    """Return an upper bound on the tokens of the text in this vocabulary, without loading it.

    A token of a byte-level vocabulary is at least one byte. NFC makes UTF-8 at most three times as long, and leaves
    ASCII unchanged. SentencePiece adds one space in front, and splits an unknown character into its bytes. Raises
    TokenizerError for a lone surrogate, as counting does.
    """
    source = VOCABULARIES[name]
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


def find_pinned_revision(name: str) -> str:
    """Return the sha256 of a known vocabulary, or an empty text."""
    source = VOCABULARIES.get(name)
    return source.sha256 if source else ""


def find_lazy_tokenizer(choice: "tokenizers.Wanted" = None, source: VocabularySource | None = None) -> Tokenizer:
    """As `tokenizers.find_tokenizer`, but a known vocabulary is loaded or fetched from `source` on the first count."""
    name = DEFAULT if choice is None else choice
    if isinstance(name, str) and name in VOCABULARIES:
        return LazyTokenizer(name, source)
    if isinstance(choice, LazyTokenizer):
        return choice
    return tokenizers.find_tokenizer(choice, source)
