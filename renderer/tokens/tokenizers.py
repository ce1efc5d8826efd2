"""Tokenizers by name, file or function, based on HF `tokenizers`, which only this module imports.

`encode` never returns control tokens: there, text that spells one is plain text. A profile's chat markup is encoded
with `encode_markup`, where they count.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from promptuary.renderer.after_fork import run_after_fork
from promptuary.renderer.errors import TokenizerError
from promptuary.renderer.free_memory import release_memory
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.tokens import vocabularies
from promptuary.renderer.tokens.base import (
    UNKNOWN_ID,
    Estimate,
    FunctionTokenizer,
    RememberingTokenizer,
    Span,
    Tokenizer,
    by_function,
    count_overlapping,
    count_overlapping_ends,
    merge_spans,
)
from promptuary.renderer.tokens.bpe_encoder import BpeEncoder, can_encode
from promptuary.renderer.tokens.bpe_tables import BpeTables
from promptuary.renderer.tokens.vocabulary_catalogue import DEFAULT, ESTIMATES, list_tokenizer_names
from promptuary.renderer.tokens.word_cache import WordMemory, separates_words, starts_with_space

if TYPE_CHECKING:
    import tokenizers
else:
    tokenizers = Deferred("tokenizers")

__all__ = [
    "DEFAULT",
    "UNKNOWN_ID",
    "Estimate",
    "FunctionTokenizer",
    "Tokenizer",
    "VocabularyTokenizer",
    "find_tokenizer",
    "is_loaded",
    "list_tokenizer_names",
    "list_vocabularies",
    "load_vocabulary",
]

# With more new characters than this in one call, loading the vocabulary into the library pays off.
_MAX_BY_TABLES = 100_000


class VocabularyTokenizer(RememberingTokenizer):
    """A real vocabulary.

    If its tables are available, short texts are encoded with them, and the library's own form is loaded only for a long
    text or for offsets.
    """

    exact = True

    def __init__(self, vocabulary: vocabularies.Vocabulary) -> None:
        super().__init__(vocabulary.marks)
        self.name, self.revision = vocabulary.name, vocabulary.revision
        self._tables = vocabulary.tables
        try:
            # Without tokens and merges, if these are in tables.
            self._rules = tokenizers.Tokenizer.from_str(vocabulary.tokenizer)
        except Exception as error:
            raise TokenizerError(f"The vocabulary {vocabulary.name} can't be loaded: {error}") from error
        self._loading = threading.Lock()
        self._loaded_core: Any = self._rules if self._tables is None else None
        by_tables = self._tables is not None and can_encode(self._rules)
        self._encoder = BpeEncoder(self._rules, self._tables) if by_tables and self._tables is not None else None
        self._words = WordMemory.of(self._rules if by_tables else self._core, self._encode_whole, self._find_spelling)

    @property
    def _core(self) -> Any:
        """The library's tokenizer, loaded if necessary."""
        if self._loaded_core is None:
            self.load()
        return self._loaded_core

    def load(self) -> None:
        """Load the library's own form now: half a second and 45 MB for 200,000 tokens."""
        with self._loading:
            if self._loaded_core is None and self._tables is not None:
                self._loaded_core = _build_core(self._rules, self._tables)
                self._encoder = self._tables = None

    def renew(self) -> None:
        """In a forked child: another thread may have been loading at the time."""
        self._loading = threading.Lock()

    def _find_spelling(self, token: int) -> str | None:
        tables = self._tables
        spelling: str | None = self._core.id_to_token(token) if tables is None else tables.find_spelling(token)
        return spelling

    def encode_new(self, texts: list[str]) -> Iterable[Sequence[int]]:
        if self._words is None:
            return self._encode_whole(texts)
        encoded = self._words.encode(texts)
        rest = [place for place, ids in enumerate(encoded) if ids is None]
        for place, ids in zip(rest, self._encode_whole([texts[place] for place in rest]) if rest else (), strict=True):
            encoded[place] = ids  # type: ignore[call-overload]  # ids of another kind
        return encoded  # type: ignore[return-value]  # no None is left

    def _encode_whole(self, texts: list[str]) -> Iterable[Sequence[int]]:
        try:
            encoder = self._encoder
            if encoder is not None and sum(map(len, texts)) <= _MAX_BY_TABLES:
                quick_encodings = list(map(encoder.encode, texts))
                if None not in quick_encodings:
                    return quick_encodings  # type: ignore[return-value]  # no None is among them
            encodings = self._core.encode_batch_fast(texts, add_special_tokens=False)
        except (UnicodeEncodeError, TypeError) as error:
            raise TokenizerError(
                "The text has a lone surrogate, which is not a character and has no tokens."
            ) from error
        return [encoding.ids for encoding in encodings]

    @cached_property
    def separates_words(self) -> bool:
        """Whether no token spans a letter, digit or sign and a following space, so that texts can be split there."""
        return separates_words(self._rules if can_encode(self._rules) else self._core)

    def count_after_word(self, text: str) -> int:
        """Count a text that begins with a space, after a letter, digit or sign. Requires `separates_words`."""
        return self.count(text[1:] if starts_with_space(self._rules) else text)

    def _find_offsets(self, text: str) -> list[Span]:
        offsets: list[Span] = self._core.encode(text, add_special_tokens=False).offsets
        return offsets

    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        span_list = merge_spans(spans)
        if span_list == [(0, len(text))]:
            return self.count(text)
        if not span_list:
            return 0
        ends = self._find_ends(text)
        if ends is not None:
            return count_overlapping_ends(ends, span_list)
        return count_overlapping(self._find_offsets(text), span_list)

    def find_boundaries(self, text: str) -> list[int]:
        ends = self._find_ends(text)
        return sorted({end for _, end in self._find_offsets(text)}) if ends is None else ends

    def _find_ends(self, text: str) -> list[int] | None:
        """Where tokens end, by their spelling: the library's offsets take as long as encoding the text again."""
        return None if self._words is None else self._words.find_ends(text, self.encode_many((text,))[0])


def _build_core(rules: Any, tables: BpeTables) -> Any:
    """Build the library's tokenizer from these rules, tokens and merges."""
    core = tokenizers.Tokenizer.from_str(rules.to_str())
    model = rules.model
    core.model = tokenizers.models.BPE(
        *tables.unpack(),
        unk_token=model.unk_token,
        fuse_unk=model.fuse_unk,
        byte_fallback=model.byte_fallback,
        ignore_merges=model.ignore_merges,
    )
    release_memory()
    return core


class _Loaded:
    """The vocabularies that this process has loaded, with locks so that only one thread loads each."""

    def __init__(self) -> None:
        self._tokenizers: dict[str, VocabularyTokenizer] = {}
        self.renew()

    def renew(self) -> None:
        """In a forked child: a lock may have been held by a thread that no longer exists."""
        self._locks: dict[str, threading.Lock] = {}
        for tokenizer in self._tokenizers.values():
            tokenizer.renew()

    def get(self, name: str) -> VocabularyTokenizer | None:
        return self._tokenizers.get(name)

    def lock(self, name: str) -> threading.Lock:
        """One lock per vocabulary, so that a slow download doesn't block counting with another."""
        return self._locks.setdefault(name, threading.Lock())

    def put(self, name: str, tokenizer: VocabularyTokenizer) -> None:
        self._tokenizers[name] = tokenizer


_LOADED = _Loaded()
run_after_fork(_LOADED.renew)


def load_vocabulary(name: str, source: vocabularies.VocabularySource | None) -> VocabularyTokenizer:
    """Return a known vocabulary's tokenizer, loaded once per process. Raises MissingVocabularyError."""
    loaded = _LOADED.get(name)
    if loaded is not None:
        return loaded
    with _LOADED.lock(name):
        tokenizer = _LOADED.get(name)
        if tokenizer is None:
            tokenizer = VocabularyTokenizer(vocabularies.read_vocabulary(name, source))
            _LOADED.put(name, tokenizer)
    return tokenizer


def is_loaded(name: str) -> bool:
    """Whether everything needed to count with this name is loaded."""
    return name not in vocabularies.VOCABULARIES or _LOADED.get(name) is not None


def list_vocabularies() -> dict[str, bool]:
    """Return the vocabularies that `find_tokenizer` knows by name, each with whether it is installed."""
    return {name: vocabularies.is_installed(name) for name in vocabularies.VOCABULARIES}


def _load_by_name(name: str, source: vocabularies.VocabularySource | None) -> Tokenizer:
    if name in vocabularies.VOCABULARIES:
        return load_vocabulary(name, source)
    if name in ESTIMATES or name.startswith("hub:"):
        with _LOADED.lock(name):
            return _estimate_or_hub(name)
    raise TokenizerError(
        f"There is no tokenizer named {name!r}. Known are {', '.join(list_tokenizer_names())}; "
        "a tokenizer.json file, hub:<repository> or a function from text to tokens work as well."
    )


@lru_cache(maxsize=16)
def _estimate_or_hub(name: str) -> Tokenizer:
    return Estimate(*ESTIMATES[name]) if name in ESTIMATES else _from_hub(name)


def _from_json(name: str, data: bytes) -> Tokenizer:
    try:
        tokenizer, marks = vocabularies.split_tokenizer(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TokenizerError(f"{name} is not a tokenizer.json file of the Hugging Face form.") from error
    revision = hashlib.sha256(data).hexdigest()
    return VocabularyTokenizer(vocabularies.Vocabulary(name, revision, json.dumps(tokenizer), marks))


def _from_hub(name: str) -> Tokenizer:
    try:
        text = tokenizers.Tokenizer.from_pretrained(name.removeprefix("hub:")).to_str()
    except Exception as error:
        raise TokenizerError(f"The tokenizer {name} can't be fetched: {error}") from error
    return _from_json(name, text.encode())


@lru_cache(maxsize=8)
def _load_by_file(path: Path, modified: int, size: int) -> Tokenizer:
    """One tokenizer per file; the two numbers are part of the key, so that a changed file is read again."""
    del modified, size
    return _from_json(path.name, path.read_bytes())


def _load_file(path: Path) -> Tokenizer:
    try:
        facts = path.stat()
        return _load_by_file(path.resolve(), facts.st_mtime_ns, facts.st_size)
    except OSError as error:
        raise TokenizerError(f"The tokenizer file {path} can't be read: {error.strerror}.") from error


Wanted = str | Path | Callable[[str], Sequence[Any]] | Tokenizer | None


def find_tokenizer(choice: Wanted = None, source: vocabularies.VocabularySource | None = None) -> Tokenizer:
    """Find a tokenizer: a known name, a `tokenizer.json` file, a function from text to tokens, or None for the default.

    `source` is asked for a known vocabulary that no installed package contains. Raises MissingVocabularyError if it
    isn't available, TokenizerError for an unknown name, an unreadable file or data that don't match the pin.
    """
    if choice is None:
        choice = DEFAULT
    if isinstance(choice, Path) or (isinstance(choice, str) and choice.endswith(".json")):
        return _load_file(Path(choice))
    if isinstance(choice, str):
        return _load_by_name(choice, source)
    # Our own class first, since checking a value against a protocol looks at each of its members.
    if isinstance(choice, (RememberingTokenizer, Tokenizer)):
        return choice
    if callable(choice):
        try:
            return by_function(choice)
        except TypeError:  # an unhashable callable can't be cached
            return FunctionTokenizer(choice)
    raise TokenizerError(
        f"A tokenizer is a name, a file or a function from text to tokens, not {type(choice).__name__}."
    )
