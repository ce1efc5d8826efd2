"""Profiles: every shipped family, its markup, and the invariants of that markup."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptuary.renderer import load, profiles
from promptuary.renderer.errors import ProfileError, TokenizerError
from promptuary.renderer.output import targets, turns
from promptuary.renderer.part import Part
from promptuary.renderer.tokens import tokenizers
from promptuary.renderer.truncation import fitting
from tests.support.examples import example_count

FAMILIES = profiles.list_profile_names()
# Where the system text moves with the last user's turn, an earlier turn can't stay as it was.
UNSTABLE = {name for name in FAMILIES if profiles.find_builtin_profile(name)["system"] == "last-user"}
CHAT = [
    Part("rules", "system", "Be kind."),
    Part("first", "user", "Hi"),
    Part("reply", "assistant", "Hello"),
    Part("second", "user", "Bye"),
]
DATE = (
    "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
)
HARMONY = (
    "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
    "Current date: 2025-06-28\n\nReasoning: medium\n\n"
    "# Valid channels: analysis, commentary, final. Channel must be included "
    "for every message.<|end|>"
)
WRITTEN = {
    "chatml": "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    "Hello<|im_end|>\n"
    "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
    "llama2": "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] Bye [/INST]",
    "llama3": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\n"
    "Hi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "mistral-v1": "<s> [INST] Be kind.\n\nHi [/INST] Hello</s> [INST] Bye [/INST]",
    "mistral-v3": "<s>[INST] Hi[/INST] Hello</s>[INST] Be kind.\n\nBye[/INST]",
    "mistral-tekken": "<s>[INST]Hi[/INST]Hello</s>[INST]Be kind.\n\nBye[/INST]",
    "mistral-v7": "<s>[SYSTEM_PROMPT] Be kind.[/SYSTEM_PROMPT][INST] Hi[/INST] Hello</s>[INST] Bye[/INST]",
    "mistral-v7-tekken": "<s>[SYSTEM_PROMPT]Be kind.[/SYSTEM_PROMPT][INST]Hi[/INST]Hello</s>[INST]Bye[/INST]",
    "gemma3": "<bos><start_of_turn>user\nBe kind.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
    "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n",
    "phi4": "<|im_start|>system<|im_sep|>Be kind.<|im_end|><|im_start|>user<|im_sep|>Hi<|im_end|>"
    "<|im_start|>assistant<|im_sep|>Hello<|im_end|><|im_start|>user<|im_sep|>Bye<|im_end|>"
    "<|im_start|>assistant<|im_sep|>",
    "deepseek": "<｜begin▁of▁sentence｜>Be kind.<｜User｜>Hi<｜Assistant｜>Hello<｜end▁of▁sentence｜>"
    "<｜User｜>Bye<｜Assistant｜>",
    "gpt-oss": HARMONY + "<|start|>developer<|message|># Instructions\n\nBe kind.<|end|>"
    "<|start|>user<|message|>Hi<|end|>"
    "<|start|>assistant<|channel|>final<|message|>Hello<|end|><|start|>user<|message|>Bye<|end|><|start|>assistant",
    "lazyllm": "<|start_system|>You are an AI-Agent developed by LazyLLM.Be kind.<|end_system|>\n\n<|Human|>:\nHi\n"
    "<|Assistant|>:\nHello<|Human|>:\nBye\n<|Assistant|>:\n",
    "completion": "Be kind.HiHelloBye",
}  # fmt: skip


def family(name, **changes):
    return profiles.check({**profiles.find_builtin_profile(name), **changes})


def chat_for(name):
    return CHAT[1:] if name == "gemma" else CHAT


@pytest.mark.parametrize("name", WRITTEN)
def test_a_family_writes_its_known_text(name):
    assert targets.text(CHAT, family(name)) == WRITTEN[name]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_count_is_the_number_of_tokens(name):
    profile = family(name)
    is_here = tokenizers.list_vocabularies().get(
        profile.tokenizer, True
    )  # Llama's vocabularies are installed by their users only
    counter = profiles.tokenizer(profile) if is_here else tokenizers.find_tokenizer("estimate")
    fitted = fitting.fit_parts(chat_for(name), counter, profile)
    assert fitted.token_count == len(targets.encode_prompt(fitted.parts, profile, counter)) > 0


@pytest.mark.parametrize("name", FAMILIES)
def test_there_is_one_beginning_mark(name):
    profile = family(name)
    text = targets.text(chat_for(name), profile)
    assert not profile.bos or name == "llama2" or text.count(profile.bos) == 1


@pytest.mark.parametrize("name", FAMILIES)
def test_a_profile_says_what_the_registry_shows(name):
    shown = next(row for row in profiles.summary() if row["name"] == name)
    assert shown["title"]
    assert isinstance(shown["models"], list)
    assert shown["context"] > 1000


def test_llama_3_1_always_has_its_frozen_day():
    start = "<|begin_of_text|>" + DATE
    assert targets.text(CHAT, family("llama3.1")).startswith(start + "Be kind.<|eot_id|>")
    assert targets.text(CHAT[1:], family("llama3.1")).startswith(start + "<|eot_id|>")


def test_qwen_2_5_has_a_system_text_of_its_own():
    assert "You are Qwen" in targets.text(CHAT[1:], family("qwen2.5"))
    assert "You are Qwen" not in targets.text(CHAT, family("qwen2.5"))


def test_a_setting_switches_thinking_off():
    mapping = profiles.find_builtin_profile("qwen3")
    quiet = profiles.check(mapping, {"enable_thinking": False})
    assert targets.text(CHAT, quiet).endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert targets.text(CHAT, profiles.check(mapping, {"enable_thinking": True})).endswith("assistant\n")


def test_a_reply_that_was_begun_stays_open_where_the_family_allows_it():
    begun = [*CHAT, Part("start", "assistant", "Good")]
    assert targets.text(begun, family("qwen3")).endswith("<|im_start|>assistant\nGood")
    assert targets.text(begun, family("openai-chat")).endswith("Good<|im_end|><|im_start|>assistant<|im_sep|>")


def test_neighbours_of_one_role_are_joined_where_the_family_demands_it():
    parts = [Part("a", "user", "one"), Part("b", "user", "two")]
    assert targets.build_messages(parts, family("mistral-v3")) == [{"role": "user", "content": "one\n\ntwo"}]
    assert len(targets.build_messages(parts, family("openai-chat"))) == 2
    assert len(targets.build_messages(parts, None)) == 2


def test_system_texts_are_gathered_in_front_where_the_family_wants_it():
    parts = [Part("a", "system", "one"), Part("q", "user", "hi"), Part("b", "system", "two")]
    assert targets.build_messages(parts, family("deepseek")) == [
        {"role": "system", "content": "one\n\ntwo"},
        {"role": "user", "content": "hi"},
    ]


def test_a_family_without_a_system_role_names_the_part():
    with pytest.raises(ProfileError, match=r"gemma take no system message, but the part `rules`"):
        targets.build_messages(CHAT, family("gemma"))


def test_a_family_that_wants_the_user_first_names_the_turn():
    with pytest.raises(ProfileError, match="part `reply` comes first and has the role assistant"):
        targets.build_messages(CHAT[2:], family("mistral-v3"))


def test_a_role_the_family_lacks_goes_to_its_nearest_or_is_named():
    assert targets.build_messages([Part("d", "developer", "x")], family("chatml"))[0]["role"] == "system"
    assert targets.build_messages([Part("t", "tool", "x")], family("phi4"))[0]["role"] == "user"
    with pytest.raises(ProfileError, match="no role `wizard`"):
        targets.build_messages([Part("w", "wizard", "x")], family("chatml"))


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - UNSTABLE))
def test_a_turn_is_a_prefix_of_the_next(name):
    profile = family(name)
    told = chat_for(name)[:-2]
    before = targets.text(told, profile)
    after = targets.text([*told, Part("a", "assistant", "Hello"), Part("b", "user", "Bye")], profile)
    assert after.startswith(before)


@given(st.lists(st.sampled_from(["system", "user", "assistant", "tool", "developer"]), max_size=7))
@pytest.mark.parametrize("name", ["openai-chat", "qwen2.5", "llama3.1", "completion"])
def test_markup_counted_by_role_is_the_markup_laid_out(name, roles):
    profile = family(name)
    parts = [Part(f"p{at}", role, "x") for at, role in enumerate(roles)]
    laid = Counter(piece.text for piece in turns.lay_out(parts, profile) if piece.part is None)
    assert +turns.count_markup(parts, profile) == +laid


MARKS = [
    "<|im_start|>", "<|im_end|>", "<s>", "</s>", "[INST]", "[/INST]", "<|eot_id|>", "<|start|>", "<|end|>",
    "<|endoftext|>",
    "<bos>", "<end_of_turn>", "<｜User｜>", "<｜end▁of▁sentence｜>", "[SYSTEM_PROMPT]", "<|im_sep|>", "</think>",
]  # fmt: skip


@settings(max_examples=example_count(0.2))
@given(st.lists(st.sampled_from([*MARKS, "text", " ", "\n"]), max_size=8).map("".join))
@pytest.mark.parametrize("name", ["chatml", "qwen3", "gpt-oss", "deepseek", "mistral-v3", "mistral-v7-tekken", "phi4"])
def test_data_never_become_a_mark(name, text):
    profile = family(name)
    counter = profiles.tokenizer(profile)
    marks = set(vars(counter)["_marks"].values())
    ids = counter.encode(text)
    assert not set(ids) & marks
    whole = targets.encode_prompt([Part("q", "user", text)], profile, counter)
    empty = targets.encode_prompt([Part("q", "user", "")], profile, counter)
    assert [one for one in whole if one in marks] == [one for one in empty if one in marks]


@pytest.mark.parametrize(("model", "name"), [
    ("gpt-4o-mini", "openai-chat"), ("gpt-4.1", "openai-chat"), ("gpt-5", "openai-chat"),
    ("gpt-4", "openai-chat-cl100k"),
    ("gpt-4-turbo", "openai-chat-cl100k"), ("openai/gpt-oss-20b", "gpt-oss"), ("claude-sonnet-4-5", "claude"),
    ("Qwen/Qwen3-8B", "qwen3"), ("qwen2.5-72b-instruct", "qwen2.5"), ("deepseek-chat", "deepseek"),
    ("meta-llama/Llama-3.1-8B", "llama3.1"), ("mistral-large-latest", "mistral-v7-tekken"), ("gemma-2-9b", "gemma"),
    ("gemma-3-27b", "gemma3"), ("phi-4", "phi4"), ("gpt-3.5-turbo-instruct", "completion"),
])  # fmt: skip
def test_a_model_id_finds_its_family(model, name):
    assert profiles.find_profile_of_model(model)["name"] == name


def test_an_unknown_model_has_no_profile():
    assert profiles.find_profile_of_model("my-own-model") is None


def test_a_found_profile_is_frozen_with_its_vocabulary_and_without_the_catalogue():
    profile = profiles.find_builtin_profile("qwen3")
    assert profile["sha256"] == tokenizers.find_tokenizer("qwen").revision
    assert not {"models", "title", "source"} & profile.keys()
    profile["markup"]["roles"].clear()
    assert profiles.find_builtin_profile("qwen3")["markup"]["roles"]


def test_a_profile_of_ones_own_is_checked_and_used():
    mine = {"name": "mine", "tokenizer": "estimate", "context": 100, "marks": ["<u>"], "markup": {
        "roles": {"system": ["<s>", ""], "user": ["<u>", "\n"], "assistant": ["<a>", "\n"]},
        "reply": "<a>"}}  # fmt: skip
    prompt = load("- name: q\n  content: Hi\n", profile=mine).render({})
    assert (prompt.text, prompt.token_limit) == ("<u>Hi\n<a>", 100)
    assert prompt.token_count == len(prompt.tokens)


@pytest.mark.parametrize(("change", "message"), [
    ({"tokenizer": "hub:someone/thing"}, "`tokenizer` must be the name of a known vocabulary"),
    ({"tokenizer": "x.json"}, "no vocabulary named 'x.json'"),
    ({"colour": 1}, "`colour` is not a field"),
    ({"context": "big"}, "`context` must be a whole number"),
    ({"system": "sideways"}, "`system` must be native, first, first-user, last-user or refuse"),
    ({"markup": {"roles": {"user": ["a", "b"]}}}, "`roles` lacks assistant, system"),
    ({"markup": {"roles": {"user": "a"}}}, "markup: The profile field `roles`"),
    ({"markup": {"colour": 1}}, "markup: `colour` is not a field"),
    ({"marks": {"<a>": "one"}}, "`marks` must be a list of marks"),
])  # fmt: skip
def test_a_wrong_profile_names_the_field(change, message):
    with pytest.raises(ProfileError, match=message.replace("(", r"\(")):
        profiles.check({"name": "mine", "tokenizer": "estimate", **change})


def test_a_profile_needs_a_name_and_a_tokenizer():
    with pytest.raises(ProfileError, match="needs the field `tokenizer`"):
        profiles.check({"name": "mine"})


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ProfileError, match=r"no profile named 'gpt'.*chatml"):
        profiles.find_builtin_profile("gpt")


def test_another_vocabulary_than_the_pinned_is_refused():
    with pytest.raises(TokenizerError, match="saved with the vocabulary o200k_base"):
        profiles.tokenizer(profiles.check({"name": "old", "tokenizer": "o200k_base", "sha256": "0" * 64}))


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def test_an_image_passes_through_messages_and_its_cost_is_stated():
    parts = [Part("look", "user", [{"type": "text", "text": "What is this?"}, {**IMAGE, "token_cost": 85}])]
    counter = tokenizers.find_tokenizer("o200k_base")
    fitted = fitting.fit_parts(parts, counter)
    assert targets.build_messages(parts)[0]["content"] == [{"type": "text", "text": "What is this?"}, IMAGE]
    assert fitted.token_count == len(targets.encode_prompt(parts, None, counter)) == counter.count("What is this?") + 85
    assert targets.text(parts) == "What is this?[image_url]"


def test_an_image_of_unknown_cost_is_named():
    parts = [Part("look", "user", [IMAGE]), Part("q", "user", "hm")]
    assert targets.list_unknown_costs(parts, None) == ["look"]
    assert targets.list_unknown_costs(parts, family("openai-chat", image_tokens=85)) == []
    assert (
        fitting.fit_parts(parts, tokenizers.find_tokenizer(), family("openai-chat", image_tokens=85))
        .parts[0]
        .token_count
        == 85
    )


def test_text_and_image_of_one_role_are_joined_as_items():
    parts = [Part("look", "user", [IMAGE]), Part("q", "user", "What?")]
    [message] = targets.build_messages(parts, family("claude"))
    assert [item["type"] for item in message["content"]] == ["image_url", "text", "text"]


def test_a_family_that_takes_text_alone_gets_a_list_of_texts_as_one():
    parts = [Part("q", "user", [{"type": "text", "text": "What "}, {"type": "text", "text": "now?"}])]
    assert targets.build_messages(parts, family("qwen3")) == [{"role": "user", "content": "What now?"}]
    assert targets.build_messages(parts, family("openai-chat"))[0]["content"] == parts[0].content
