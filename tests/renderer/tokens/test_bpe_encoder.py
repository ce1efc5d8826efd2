"""Ids found in a vocabulary's tables equal the library's, which isn't loaded for short texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.errors import TokenizerError
from promptuary.renderer.tokens import tokenizers, vocabularies
from promptuary.renderer.tokens.bpe_encoder import BpeEncoder, can_encode
from promptuary.renderer.tokens.bpe_tables import BpeTables
from tests.renderer.varied_texts import varied_texts

BYTE_LEVEL = [
    name
    for name, source in vocabularies.VOCABULARIES.items()
    if source.form != "sentencepiece" and vocabularies.is_installed(name)
]
TEXTS = st.text(
    st.one_of(st.sampled_from(" \n\t'abcXYZ019.,é\u0301你안م😀\u200b\xa0"), st.characters(codec="utf-8")), max_size=60
)
TINY = {"a": 3, "b": 4, "ab": 7, "abab": 9, "é": 10}
MERGES = [("a", "b"), ("ab", "ab")]


def fresh(name):
    return tokenizers.VocabularyTokenizer(vocabularies.read_vocabulary(name))


@pytest.fixture(scope="module")
def pairs():
    """For each installed vocabulary, an encoder over its tables and the library's own tokenizer."""
    made = []
    for name in BYTE_LEVEL:
        tokenizer = fresh(name)
        assert tokenizer._encoder is not None
        made.append((tokenizer._encoder, tokenizer._core))
    return made


@given(TEXTS)
def test_any_text_has_the_ids_of_the_library(pairs, text):
    for encoder, core in pairs:
        assert encoder.encode(text) == core.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_varied_texts_have_the_ids_of_the_library(name):
    tokenizer = fresh(name)
    encoder, texts = tokenizer._encoder, list(varied_texts())
    assert encoder is not None
    whole = tokenizer._core.encode_batch(texts, add_special_tokens=False)
    assert [encoder.encode(text) for text in texts] == [encoding.ids for encoding in whole]


@given(st.lists(st.sampled_from(["a", "b", "ab", "abab", " ", "你"]), max_size=200).map("".join))
def test_pieces_of_many_merges_have_the_ids_of_the_library(pairs, text):
    for encoder, core in pairs:
        assert encoder.encode(text) == core.encode(text, add_special_tokens=False).ids


def test_a_short_text_is_counted_without_loading_the_library():
    tokenizer = fresh("o200k_base")
    assert tokenizer.encode("Hello world") == [13225, 2375]
    assert tokenizer._loaded_core is None


def test_only_offsets_of_other_texts_than_ascii_load_the_library():
    tokenizer = fresh("o200k_base")
    assert tokenizer.find_boundaries("Hello world") == [5, 11]
    assert tokenizer.count_spans("Hello world", [(5, 11)]) == 1
    assert tokenizer._loaded_core is None
    assert tokenizer.find_boundaries("Hello café")[-1] == 10
    assert tokenizer._loaded_core is not None


@pytest.mark.parametrize("text", ["word " * 30_000, "x" * 2_000], ids=["a long text", "a long word"])
def test_long_texts_are_encoded_by_the_library(text):
    tokenizer = fresh("o200k_base")
    assert tokenizer.count(text) == len(tokenizer._core.encode(text).ids)
    assert tokenizer._encoder is None


def test_a_vocabulary_that_is_not_cut_by_bytes_is_left_to_the_library():
    name = next((name for name in ("mistral-v3", "mistral-v1") if vocabularies.is_installed(name)), None)
    if name is None:
        pytest.skip("no SentencePiece vocabulary is installed")
    tokenizer = fresh(name)
    assert not can_encode(tokenizer._rules)
    assert tokenizer._encoder is None


def test_a_lone_surrogate_is_refused_by_the_tables_too():
    tokenizer = fresh("o200k_base")
    with pytest.raises(TokenizerError, match="lone surrogate"):
        tokenizer.count("a \ud800")
    assert tokenizer._loaded_core is None


def test_packed_tables_are_read_back():
    assert BpeTables(BpeTables.pack(TINY, MERGES)).unpack() == (TINY, MERGES)


def test_tokens_and_merges_are_found_and_others_are_not():
    tables = BpeTables(BpeTables.pack(TINY, MERGES))
    assert (tables.find_token("é"), tables.find_token("ba"), tables.find_token("")) == (10, None, None)
    assert (tables.find_merge(3, 4), tables.find_merge(7, 7), tables.find_merge(4, 3)) == (0, 1, None)
    assert (tables.merged_id(1), tables.find_spelling(9), tables.find_spelling(8)) == (9, "abab", None)


def test_tokens_of_one_checksum_are_distinguished():
    same = {"plumless": 1, "buckeroo": 2}  # CRC-32 gives both 4ddb0c25
    tables = BpeTables(BpeTables.pack(same, []))
    assert (tables.find_token("plumless"), tables.find_token("buckeroo")) == (1, 2)


@pytest.mark.parametrize("data", [b"", b"{}\n", b"[]\n", BpeTables.pack(TINY, MERGES)[:-1]])
def test_truncated_tables_are_refused(data):
    with pytest.raises(TokenizerError):
        BpeTables(data)


def test_a_merge_that_results_in_no_token_is_refused():
    with pytest.raises(KeyError):
        BpeTables.pack(TINY, [("b", "a")])


def test_the_rules_of_a_kept_vocabulary_hold_no_tokens():
    vocabulary = vocabularies.read_vocabulary("o200k_base")
    assert len(vocabulary.tokenizer) < 5_000
    assert isinstance(vocabulary.tables, BpeTables)
    assert isinstance(fresh("o200k_base")._encoder, BpeEncoder)
