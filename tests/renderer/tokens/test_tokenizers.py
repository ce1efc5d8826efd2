"""Finding tokenizers and counting with them."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.errors import TokenizerError
from promptuary.renderer.tokens import base, tokenizers, vocabularies

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


def test_without_a_name_the_default_vocabulary_counts():
    tokenizer = tokenizers.find_tokenizer()
    assert (tokenizer.name, tokenizer.exact, len(tokenizer.revision)) == ("o200k_base", True, 64)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(TokenizerError, match=r"no tokenizer named 'gpt-9'.*o200k_base.*estimate"):
        tokenizers.find_tokenizer("gpt-9")


def test_a_function_gives_the_tokens_it_returns():
    tokenizer = tokenizers.find_tokenizer(str.split)
    assert tokenizer.encode("a b  c") == ["a", "b", "c"]
    assert (tokenizer.count("a b  c"), tokenizer.exact, tokenizer.revision) == (3, True, "")


def test_a_function_that_returns_no_list_is_refused_by_name():
    def length(text: str) -> int:
        return len(text)

    with pytest.raises(TokenizerError, match="length must return a list of tokens, not int"):
        tokenizers.find_tokenizer(length).count("a")  # type: ignore[arg-type]  # the wrong type is the test


def test_the_same_function_keeps_its_memory():
    calls = []

    def split(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    tokenizers.find_tokenizer(split).count("a b")
    tokenizers.find_tokenizer(split).count("a b")
    assert calls == ["a b"]


def test_something_else_is_not_a_tokenizer():
    with pytest.raises(TokenizerError, match="not int"):
        tokenizers.find_tokenizer(7)  # type: ignore[arg-type]  # the wrong type is the test


@pytest.fixture
def tokenizer_file(tmp_path):
    """A tokenizer.json of two words and a control token, as Hugging Face writes them."""
    added = {
        "id": 3,
        "content": "<end>",
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    body = {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        "padding": None, "added_tokens": [added], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "red": 1, "green": 2}, "unk_token": "[UNK]"},
    }  # fmt: skip
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(body))
    return path


def test_a_tokenizer_file_counts_without_its_own_truncation(tokenizer_file):
    tokenizer = tokenizers.find_tokenizer(tokenizer_file)
    assert tokenizer.encode("red green red") == [1, 2, 1]
    assert (tokenizer.name, tokenizer.exact, len(tokenizer.revision)) == ("tokenizer.json", True, 64)


def test_a_control_token_of_a_file_stays_text_in_data_and_counts_in_markup(tokenizer_file):
    tokenizer = tokenizers.find_tokenizer(str(tokenizer_file))
    assert 3 not in tokenizer.encode("red <end> green")
    assert tokenizer.encode_markup("red<end>", {}) == [1, 3]


def test_a_changed_file_is_read_again(tokenizer_file):
    first = tokenizers.find_tokenizer(tokenizer_file)
    tokenizer_file.write_text(tokenizer_file.read_text().replace("green", "brown"))
    second = tokenizers.find_tokenizer(tokenizer_file)
    assert second.revision != first.revision
    assert second.encode("brown") == [2]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TokenizerError, match=r"nowhere\.json can't be read"):
        tokenizers.find_tokenizer(tmp_path / "nowhere.json")


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "list.json"
    path.write_text("[1]")
    with pytest.raises(TokenizerError, match=r"list\.json is not a tokenizer\.json"):
        tokenizers.find_tokenizer(path)


def test_an_estimate_says_that_it_is_one():
    tokenizer = tokenizers.find_tokenizer("estimate")
    assert (tokenizer.exact, tokenizer.count("x" * 400), set(tokenizer.encode("hello"))) == (
        False,
        100,
        {tokenizers.UNKNOWN_ID},
    )


def test_an_estimate_counts_each_ideograph_and_emoji():
    assert tokenizers.find_tokenizer("estimate").count("你好👍") == 3


def test_markup_takes_marks_of_the_profile_and_of_the_vocabulary():
    tokenizer = tokenizers.find_tokenizer("cl100k_base")
    assert tokenizer.encode_markup("<|im_start|>user\n", {}) == [100264, 882, 198]
    assert tokenizer.encode_markup("<mine>", {"<mine>": 7}) == [7]
    assert tokenizer.encode_markup("<mine>", {"<mine>": None}) == [tokenizers.UNKNOWN_ID]


@given(TEXTS)
@pytest.mark.parametrize("name", ["o200k_base", "estimate"])
def test_a_count_is_the_length_of_the_ids(name, text):
    tokenizer = tokenizers.find_tokenizer(name)
    assert tokenizer.count(text) == len(tokenizer.encode(text))


def test_spans_count_the_tokens_they_touch():
    tokenizer = tokenizers.find_tokenizer("o200k_base")
    text = "Dear Ada Lovelace, hello"
    assert tokenizer.count_spans(text, [(5, 17)]) == tokenizer.count(" Ada Lovelace")
    assert tokenizer.count_spans(text, []) == 0
    assert tokenizer.count_spans(text, [(3, 3)]) == 0
    assert tokenizer.count_spans(text, [(0, len(text))]) == tokenizer.count(text)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
@pytest.mark.parametrize("name", ["o200k_base", "estimate"])
def test_spans_never_count_more_than_the_text(name, text, spans):
    tokenizer = tokenizers.find_tokenizer(name)
    assert 0 <= tokenizer.count_spans(text, [(a, min(b, len(text))) for a, b in spans]) <= tokenizer.count(text)


@given(TEXTS)
def test_a_text_can_be_cut_at_each_border(text):
    boundaries = tokenizers.find_tokenizer("o200k_base").find_boundaries(text)
    assert boundaries == sorted(set(boundaries))
    assert not text or boundaries[-1] == len(text)


def test_a_lone_surrogate_is_refused():
    with pytest.raises(TokenizerError, match="lone surrogate"):
        tokenizers.find_tokenizer("o200k_base").count("a\ud800b")


def test_many_texts_are_encoded_as_each_alone():
    tokenizer = tokenizers.find_tokenizer("cl100k_base")
    texts = ["a b", "", "a b", "ü" * 30, "x"]
    assert [list(ids) for ids in tokenizer.encode_many(texts)] == [tokenizer.encode(text) for text in texts]


def test_the_memory_is_bounded_and_keeps_what_is_used():
    memory = base.Memory(100_000)
    memory.put("kept", (1,))
    for number in range(5000):
        memory.put(f"text {number}", (number,))
        assert memory.get("kept") == (1,)
    assert memory.get("text 0") is None
    assert len(memory._young) + len(memory._old) < 500


def test_threads_share_a_tokenizer():
    tokenizer = tokenizers.find_tokenizer("o200k_base")
    expected = {f"text {number} of many": tokenizer.count(f"text {number} of many") for number in range(50)}
    assert isinstance(tokenizer, tokenizers.VocabularyTokenizer)
    wrong: list[str] = []

    def work():
        fresh = tokenizers.VocabularyTokenizer.count
        wrong.extend(text for text, count in expected.items() if fresh(tokenizer, text) != count)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_every_known_name_says_whether_it_is_installed():
    assert tokenizers.list_vocabularies().keys() == vocabularies.VOCABULARIES.keys()
    assert tokenizers.list_vocabularies()["o200k_base"] is True


def test_a_hub_that_cannot_be_reached_is_an_error_with_the_name(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(TokenizerError, match="hub:nobody/nothing can't be fetched"):
        tokenizers.find_tokenizer("hub:nobody/nothing")
