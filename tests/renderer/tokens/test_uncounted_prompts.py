"""A prompt that certainly fits is counted only on demand; others are counted exactly or fail."""

import copy
import hashlib
import itertools
import multiprocessing
import pickle
import threading
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptuary.renderer import MissingVocabularyError, Part, load, profiles, validate
from promptuary.renderer.errors import RenderError, TokenizerError, TruncationError
from promptuary.renderer.output import targets
from promptuary.renderer.tokens import lazy, tokenizers, vocabularies
from promptuary.renderer.tokens.vocabularies import VOCABULARIES, FakeVocabularies, Source
from promptuary.renderer.truncation import fitting
from tests.renderer.varied_texts import varied_texts
from tests.support.examples import example_count

HERE = sorted(name for name, is_here in tokenizers.list_vocabularies().items() if is_here)
FAMILIES = sorted(
    name
    for name in profiles.list_profile_names()
    if tokenizers.list_vocabularies().get(profiles.find_builtin_profile(name)["tokenizer"], False)
)
# Characters that NFC makes longer, that fall apart into bytes, or that stand for a space.
HARD = "\u0958\U0001d160\ufb2c\u0344\u1f81▁ \t\r\n\u200d👩‍👩‍👧\U0010ffff\ue000中é\u0301ﬀ<s>[INST]<|im_end|>"
TEXTS = st.text(max_size=40) | st.text(alphabet=HARD, max_size=40)
_numbers = itertools.count()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def data() -> bytes:
    """The file of a vocabulary that is quick to convert."""
    vocabulary = vocabularies.read_installed(f"sha256:{VOCABULARIES['mistral-v3'].sha256}")
    if vocabulary is None:
        pytest.skip("mistral-common is not installed")
    return vocabulary


@pytest.fixture
def gone(data, folder, monkeypatch) -> str:
    """A known vocabulary whose package isn't installed; no other test has read one with this name."""
    name = f"gone-{next(_numbers)}"
    monkeypatch.setitem(VOCABULARIES, name, source_of(name, data))
    return name


def source_of(name: str, data: bytes) -> Source:
    return Source(
        "no_such_package", "no-such-package", f"{name}.model", hashlib.sha256(data).hexdigest(), "sentencepiece"
    )


def document(name: str, *, limit: int | None = None) -> tuple[str, dict[str, object]]:
    """A document with one input, and a profile that counts with the vocabulary."""
    front = f"---\ntoken_limit: {limit}\n---\n" if limit else ""
    body = "- name: q\n  content: '{{ q }}'\n  shrink: end\n  truncation_priority: 1\n  min_tokens: 2\n"
    return front + body, profiles.find_builtin_profile("mistral-v3") | {"tokenizer": name}


def loaded(name: str, source: FakeVocabularies | None = None, limit: int | None = None):
    text, profile = document(name, limit=limit)
    return load(text, profile=profile, vocabularies=source)


@settings(max_examples=example_count(1))
@given(TEXTS)
@pytest.mark.parametrize("name", HERE)
def test_no_text_has_more_tokens_than_the_bound(name, text):
    assert len(tokenizers.find_tokenizer(name).encode(text)) <= lazy.most_tokens(name, text)


@pytest.mark.parametrize("name", HERE)
def test_no_single_character_has_more_tokens_than_the_bound(name):
    tokenizer = tokenizers.find_tokenizer(name)
    wide = [chr(code) for code in range(0x80, 0x30000) if unicodedata.normalize("NFC", chr(code)) != chr(code)]
    for text in [*wide, *map(chr, range(1, 0x250)), *varied_texts()]:
        assert len(tokenizer.encode(text)) <= lazy.most_tokens(name, text), ascii(text)


@settings(max_examples=example_count(0.4))
@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), TEXTS), min_size=1, max_size=6))
@pytest.mark.parametrize("family", FAMILIES)
def test_no_chat_has_more_tokens_than_the_bound_with_its_markup(family, rows):
    profile = profiles.check(profiles.find_builtin_profile(family))
    parts = [Part(f"p{at}", role, text) for at, (role, text) in enumerate(rows)]
    counter = profiles.make_lazy_tokenizer(profile)
    assert isinstance(counter, lazy.LazyTokenizer)
    try:
        whole = targets.encode_prompt(parts, profile, counter)
    except RenderError:
        return  # the family refuses such a chat
    assert len(whole) <= targets.bound_tokens(parts, profile, counter)


@settings(max_examples=example_count(0.4))
@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXTS, st.integers(0, 2)), min_size=1, max_size=6),
    st.integers(1, 400) | st.none(),
)
@pytest.mark.parametrize("family", ["qwen3", "deepseek", "mistral-v3", "mistral-v7-tekken", "openai-chat"])
def test_counting_late_gives_what_counting_immediately_gives(family, rows, limit):
    profile = profiles.check(profiles.find_builtin_profile(family) | {"user_first": False})
    parts = [Part(f"p{at}", role, text, priority) for at, (role, text, priority) in enumerate(rows)]
    eager, lazy = profiles.tokenizer(profile), profiles.make_lazy_tokenizer(profile)
    try:
        at_once = fitting.fit_parts(parts, eager, profile, limit=limit)
    except TruncationError:
        with pytest.raises(TruncationError):
            fitting.fit_parts(parts, lazy, profile, limit=limit)
        return
    late = fitting.fit_parts(parts, lazy, profile, limit=limit)
    assert [part.content for part in late.parts] == [part.content for part in at_once.parts]
    assert (late.token_count, late.cuts) == (at_once.token_count, at_once.cuts)
    assert late.parts == at_once.parts
    assert [part.token_count for part in late.parts] == [part.token_count for part in at_once.parts]


def test_a_document_that_surely_fits_needs_no_vocabulary(gone):
    prompt = loaded(gone, limit=200).render({"q": "Straßenbahn"})
    assert prompt.messages == [{"role": "user", "content": "Straßenbahn"}]
    assert prompt.text == "<s>[INST] Straßenbahn[/INST]"
    assert prompt.tokenizer == {"name": gone, "revision": VOCABULARIES[gone].sha256, "exact": True}
    assert repr(prompt) == "<Prompt: 1 part>"
    for ask in (lambda: prompt.token_count, lambda: prompt.parts[0].token_count, lambda: prompt.tokens):
        with pytest.raises(MissingVocabularyError, match="no-such-package"):
            ask()


def test_its_json_says_that_it_is_not_counted_and_why(gone):
    body = loaded(gone).render({"q": "Why?"}).to_dict()
    assert (body["messages"], body["token_count"]) == ([{"role": "user", "content": "Why?"}], None)
    assert [(part["token_count"], part["input_tokens"]) for part in body["parts"]] == [(None, None)]
    assert gone in body["tokenizer"]["missing"]


def test_a_prompt_that_may_be_too_long_fails_by_name_and_is_never_estimated(gone):
    with pytest.raises(MissingVocabularyError) as caught:
        loaded(gone, limit=100).render({"q": "word " * 30})
    assert (caught.value.vocabulary, caught.value.code) == (gone, "PT604")
    assert caught.value.digest == f"sha256:{VOCABULARIES[gone].sha256}"
    assert "PROMPTUARY_URL" in caught.value.message
    prompt = loaded(gone, limit=100).render({"q": "word " * 30}, tokenizer="estimate")
    assert prompt.tokenizer["exact"] is False


def test_a_source_gives_the_exact_counts(gone, data):
    prompt = loaded(gone, FakeVocabularies(data), limit=20).render({"q": "Straßenbahnhaltestelle " * 9})
    expected = loaded("mistral-v3", limit=20).render({"q": "Straßenbahnhaltestelle " * 9})
    assert (prompt.text, prompt.tokens, prompt.cut) == (expected.text, expected.tokens, expected.cut)
    assert prompt.token_count == expected.token_count <= 20


def test_other_bytes_than_the_pinned_are_refused(gone, data):
    source = FakeVocabularies(data)
    source.files = dict.fromkeys(source.files, data + b"x")
    with pytest.raises(MissingVocabularyError, match="hashes to something else"):
        loaded(gone, source).render({"q": "a"}).tokens  # noqa: B018  # reading it counts


def test_many_threads_that_start_together_ask_once(gone, data):
    class Slow(FakeVocabularies):
        def read(self, digest: str) -> bytes:
            time.sleep(0.2)  # a slow registry, so that all threads ask while it answers
            return super().read(digest)

    source, start = Slow(data), threading.Barrier(8)
    template = loaded(gone, source)

    def count(_: int) -> int:
        start.wait()
        return int(template.render({"q": "Why not?"}).token_count)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(count, range(8)))) == 1
    assert len(source.requested) == 1


class _Noting:
    """Notes in a file each time that it is asked."""

    def __init__(self, data: bytes, notes: Path) -> None:
        self.data, self.notes = data, notes

    def read(self, digest: str) -> bytes:
        with self.notes.open("a") as file:
            file.write("asked\n")
        time.sleep(0.5)  # long enough that the other process asks meanwhile
        return self.data


def test_processes_that_start_together_ask_once_and_share_the_result(gone, data, tmp_path):
    notes = tmp_path / "notes"
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=vocabularies.read_vocabulary, args=(gone, _Noting(data, notes))) for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert notes.read_text() == "asked\n"


def test_a_fetched_vocabulary_is_stored_privately_and_read_again(gone, data, folder):
    source = FakeVocabularies(data)
    whole = vocabularies.read_vocabulary(gone, source)
    assert (vocabularies.read_vocabulary(gone), vocabularies.read_vocabulary(gone, source), len(source.requested)) == (
        whole,
        whole,
        1,
    )
    assert vocabularies.is_at_hand(gone)
    kept = folder / "vocabularies"
    [file] = kept.iterdir()
    assert [path.stat().st_mode & 0o777 for path in (folder, kept, file)] == [0o700, 0o700, 0o600]


DAMAGES = {
    "shorter": lambda body: body[:-50],
    "empty": lambda body: b"",
    "altered": lambda body: body.replace(b"e", b"f", 1),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_noticed_and_fetched_again(gone, data, folder, damage):
    source = FakeVocabularies(data)
    whole = vocabularies.read_vocabulary(gone, source)
    [file] = (folder / "vocabularies").iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert (vocabularies.read_vocabulary(gone, source), len(source.requested)) == (whole, 2)
    assert (vocabularies.read_vocabulary(gone, source), len(source.requested)) == (whole, 2)


def test_a_folder_that_cannot_be_written_works_in_memory_and_is_reported(gone, data, tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PROMPTUARY_CACHE", str(tmp_path / "file" / str(next(_numbers))))
    source = FakeVocabularies(data)
    template = loaded(gone, source)
    counts = [template.render({"q": text}).token_count for text in ("a", "b c d")]
    assert (counts[0] < counts[1], len(source.requested)) == (True, 1)
    assert "can't be kept" in caplog.text


def test_parts_that_are_copied_or_sent_elsewhere_take_their_count_along():
    prompt = load("- name: a\n  content: one two\n- name: b\n  content: three\n").render({})
    for other in (copy.copy(prompt.parts[1]), pickle.loads(pickle.dumps(prompt.parts[1]))):
        assert (other.token_count, other) == (1, prompt.parts[1])
    assert [part.token_count for part in prompt.parts] == [2, 1]


def test_a_lone_surrogate_is_refused_whether_or_not_anybody_counts():
    part = Part("a", content="a\ud800b")
    with pytest.raises(TokenizerError, match="lone surrogate"):
        fitting.fit_parts([part], lazy.find_lazy_tokenizer(None))


def test_a_check_without_the_vocabulary_says_that_limits_are_open_and_guesses_nothing(gone, data):
    text, profile = document(gone, limit=60)
    text = text.replace("---\ntoken", "---\ninputs: {q: {type: string, maxLength: 40}}\ntoken", 1)
    text = (
        text.replace("  truncation_priority: 1\n", "").replace("  shrink: end\n", "").replace("  min_tokens: 2\n", "")
    )
    samples = {"long": {"q": "é" * 40}}
    [problem] = validate(text, samples, profile=profile)
    assert (problem.code, problem.severity) == ("PT604", "warning")
    assert "limits were not checked" in problem.message
    assert validate(text.replace("60", "300"), samples, profile=profile) == []
    exact = validate(text, samples, profile=profile, vocabularies=FakeVocabularies(data))
    expected = validate(text, samples, profile=profiles.find_builtin_profile("mistral-v3"))
    assert exact == expected
