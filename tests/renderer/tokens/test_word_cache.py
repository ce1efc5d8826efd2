"""Tokens found word by word equal those of the vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.tokens import tokenizers, vocabularies, word_cache
from promptuary.renderer.tokens.base import count_overlapping, merge_spans
from tests.renderer.varied_texts import varied_texts

CUT_BEFORE_SPACES = ("o200k_base", "o200k_harmony", "cl100k_base", "qwen", "mistral-tekken", "llama3", "llama4")
INSTALLED = [name for name in CUT_BEFORE_SPACES if vocabularies.is_installed(name)]
BLANKS = " \n\t\r\x0b\x0c\x1c\x1f\x85\xa0\u1680\u180e\u2000\u2009\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
SPACED = st.text(st.one_of(st.sampled_from([*BLANKS, " ", " ", " ", "a", "B", "1", ".", "'", "s", "\u0301", "你", "é"]),
    st.characters(codec="utf-8")), max_size=40)  # fmt: skip


def whole(tokenizer, texts):
    return [encoding.ids for encoding in tokenizer._core.encode_batch(texts, add_special_tokens=False)]


@pytest.fixture(params=INSTALLED)
def tokenizer(request):
    return tokenizers.find_tokenizer(request.param)


def test_words_of_these_vocabularies_are_remembered(tokenizer):
    assert tokenizer._words is not None


def test_every_pair_of_white_space_is_cut_as_the_vocabulary_does(tokenizer):
    around = [*BLANKS, "a", "1", ".", "'s"]
    texts = [left + middle + right for left in around for middle in BLANKS for right in around]
    assert list(map(list, tokenizer._words.encode(texts))) == whole(tokenizer, texts)


def test_varied_texts_have_the_same_ids_twice(tokenizer):
    texts, expected = list(varied_texts()), whole(tokenizer, list(varied_texts()))
    for _ in range(2):
        assert list(map(list, tokenizer._words.encode(texts))) == expected


@given(SPACED)
def test_any_text_has_the_ids_of_the_vocabulary(text):
    for tokenizer in map(tokenizers.find_tokenizer, INSTALLED):
        assert [tokenizer.encode(text)] == whole(tokenizer, [text])


def test_a_long_word_is_not_remembered(tokenizer):
    text = "a " + "b" * 100 + " c"
    for _ in range(2):
        assert list(tokenizer._words.encode([text])[0]) == whole(tokenizer, [text])[0]
    assert max(map(len, tokenizer._words._known[0])) <= 48


def memory_of(tokenizer):
    return word_cache.WordMemory(tokenizer._encode_whole, tokenizer._core.id_to_token)


def test_words_learnt_from_a_text_serve_the_next_one(tokenizer):
    asked = []

    def encode(texts):
        asked.extend(texts)
        return tokenizer._encode_whole(texts)

    memory = word_cache.WordMemory(encode, tokenizer._core.id_to_token)
    memory.encode(["Ann: the café at the river, 12 boats"])
    tokens = memory.encode(["Ann: 12 boats at the river, the café"])
    assert list(map(list, tokens)) == whole(tokenizer, ["Ann: 12 boats at the river, the café"])
    assert len(asked) == 1


def test_a_text_with_few_new_words_asks_for_these_only(tokenizer):
    asked = []

    def encode(texts):
        asked.extend(texts)
        return tokenizer._encode_whole(texts)

    memory = word_cache.WordMemory(encode, tokenizer._core.id_to_token)
    memory.encode(["one two three four five six seven eight nine"])
    memory.encode(["one two three four five six seven eight ten nine"])
    assert asked[1:] == [" ten"]


def test_other_vocabularies_encode_texts_whole():
    tokenizer = tokenizers.find_tokenizer("mistral-v3")
    assert isinstance(tokenizer, tokenizers.VocabularyTokenizer)
    assert tokenizer._words is None


def test_a_full_memory_starts_again(monkeypatch):
    monkeypatch.setattr(word_cache, "_MAX_WORDS", 50)
    tokenizer = tokenizers.find_tokenizer("o200k_base")
    memory = memory_of(tokenizer)
    for number in range(40):
        text = " ".join(f"w{number}x{place}" for place in range(5))
        assert list(memory.encode([text])[0]) == whole(tokenizer, [text])[0]
        assert sum(map(len, memory._known)) <= 55


def test_a_text_of_very_many_words_teaches_nothing():
    memory = memory_of(tokenizers.find_tokenizer("o200k_base"))
    memory.encode([" ".join(map(str, range(6_000)))])
    assert memory._known == ({}, {})


SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5)


@given(st.one_of(SPACED, st.text(st.characters(max_codepoint=127), max_size=40)), SPANS)
def test_spans_and_borders_are_those_of_the_vocabularys_offsets(text, spans):
    within = merge_spans([(start, min(end, len(text))) for start, end in spans])
    for name in INSTALLED:
        tokenizer = tokenizers.load_vocabulary(name, None)
        offsets = tokenizer._core.encode(text, add_special_tokens=False).offsets
        assert tokenizer.count_spans(text, within) == count_overlapping(offsets, within)
        assert tokenizer.find_boundaries(text) == sorted({end for _, end in offsets})


def test_ends_of_tokens_are_found_in_ascii_texts_only(tokenizer):
    text = "Ann: 12 boats\n\n at the river's end"
    ends = tokenizer._words.find_ends(text, tokenizer.encode(text))
    assert ends == [end for _, end in tokenizer._core.encode(text, add_special_tokens=False).offsets]
    assert tokenizer._words.find_ends("café", tokenizer.encode("café")) is None
    assert tokenizer._words.find_ends("", []) is None
