"""Targets: the forms of a prompt for a model call - messages, one text, or token ids - and its token counts."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Any

from promptuary.renderer.output import turns as output_turns
from promptuary.renderer.part import Content, Part
from promptuary.renderer.profiles import Profile
from promptuary.renderer.prompt import Stamp
from promptuary.renderer.tokens.base import UNKNOWN_ID, Ids, Tokenizer
from promptuary.renderer.tokens.lazy import LazyTokenizer

__all__ = [
    "Targets",
    "bound_tokens",
    "build_messages",
    "compute_attachment_cost",
    "compute_turn_cost",
    "count_frames",
    "count_input_tokens",
    "count_markup",
    "count_parts",
    "count_pieces",
    "describe_counter",
    "encode_prompt",
    "encode_tokens",
    "has_frames",
    "list_unknown_costs",
    "text",
]


def build_messages(parts: Sequence[Part], profile: Profile | None = None) -> list[dict[str, Any]]:
    """Return `[{"role", "content"}]` in OpenAI form, with the profile's policies on system text and roles applied."""
    if profile is None and not has_frames(parts):
        return [{"role": part.role, "content": _remove_token_costs(part.content)} for part in parts]
    only_text = profile is not None and profile.content == "string"
    turns = output_turns.build_turns(parts, profile, spoken_only=True)
    return [{"role": turn.role, "content": _build_content(turn, only_text)} for turn in turns]


def _build_content(turn: output_turns.Turn, only_text: bool) -> Content:
    """The content of a turn: a text if possible, else a list of items.

    For families that take text only, a list of texts becomes one text; anything else is left for the provider to
    refuse.
    """
    contents = [content for content, _ in turn.contents]
    if only_text:
        contents = [_join_texts(content) for content in contents]
    texts = [content for content in contents if isinstance(content, str)]
    if len(texts) == len(contents):
        return texts[0] if len(texts) == 1 else "".join(texts)
    items: list[Any] = []
    for content in contents:
        items.extend([{"type": "text", "text": content}] if isinstance(content, str) else _remove_token_costs(content))
    return items


def _join_texts(content: Content) -> Content:
    if isinstance(content, str) or not all(
        not isinstance(item, dict) or item.get("type") == "text" for item in content
    ):
        return content
    return "".join(str(item["text"] if isinstance(item, dict) else item) for item in content)


def _remove_token_costs(content: Content) -> Content:
    """The content as sent, without the author's token costs of attachments."""
    if isinstance(content, str):
        return content
    return [
        {key: value for key, value in item.items() if key != "token_cost"} if isinstance(item, dict) else item
        for item in content
    ]


def text(parts: Sequence[Part], profile: Profile | None = None) -> str:
    """Return the prompt as one string: contents concatenated, or with the profile's chat markup.

    An image or file can't be in a text, so it appears as its type in brackets.
    """
    if profile is None and _are_plain(parts):
        return "".join([str(part.content) for part in parts])
    pieces = output_turns.lay_out(parts, profile)
    return "".join(piece.text if piece.attachment is None else f"[{piece.attachment.get('type')}]" for piece in pieces)


def encode_prompt(parts: Sequence[Part], profile: Profile | None, tokenizer: Tokenizer) -> list[Any]:
    """Return the token ids of the whole prompt. Contents are encoded separately from markup, as plain text."""
    if profile is None and _are_plain(parts):
        return list(chain.from_iterable(tokenizer.encode_many([str(part.content) for part in parts])))
    return encode_tokens(output_turns.lay_out(parts, profile), profile, tokenizer)


def _are_plain(parts: Sequence[Part]) -> bool:
    """Whether the parts are plain texts, so that there is no layout."""
    return not has_frames(parts) and all(type(part.content) is str for part in parts)


def encode_tokens(pieces: Iterable[output_turns.Piece], profile: Profile | None, tokenizer: Tokenizer) -> list[Any]:
    """Return the token ids of laid-out pieces."""
    return list(chain.from_iterable(_encode_pieces(pieces, profile, tokenizer)))


def _encode_pieces(pieces: Iterable[output_turns.Piece], profile: Profile | None, tokenizer: Tokenizer) -> list[Ids]:
    pieces_encoded = list(pieces)
    data = iter(tokenizer.encode_many([piece.text for piece in pieces_encoded if piece.part is not None]))
    encoded: list[Ids] = []
    for piece in pieces_encoded:
        if piece.part is None:
            encoded.append(_encode_markup(piece.text, profile, tokenizer))
            continue
        ids = next(data)
        encoded.append(
            [UNKNOWN_ID] * (compute_attachment_cost(piece.attachment, profile) or 0) if piece.attachment else ids
        )
    return encoded


def count_parts(parts: Sequence[Part], profile: Profile | None, tokenizer: Tokenizer) -> list[int]:
    """Return the token count of each part's own content, without markup."""
    contents = [part.content for part in parts]
    only_text = set(map(type, contents)) <= {str}
    if profile and profile.markup and profile.markup.trim:
        texts = [content.strip() if isinstance(content, str) else "" for content in contents]
    else:
        texts = [content if isinstance(content, str) else "" for content in contents]
    counts = list(map(len, tokenizer.encode_many(texts)))
    if only_text:
        return counts
    for index, content in enumerate(contents):
        if not isinstance(content, str):
            counts[index] = sum(_count_item(item, profile, tokenizer) for item in content)
    return counts


def _count_item(item: Any, profile: Profile | None, tokenizer: Tokenizer) -> int:
    if isinstance(item, dict) and item.get("type") != "text":
        return compute_attachment_cost(item, profile) or 0
    return tokenizer.count(str(item["text"] if isinstance(item, dict) else item))


def count_markup(parts: Sequence[Part], profile: Profile | None, tokenizer: Tokenizer) -> int:
    """Return the number of tokens that the profile's markup adds to these parts."""
    if profile is None and not has_frames(parts):
        return 0
    pieces = output_turns.count_markup(parts, profile)
    return sum(len(_encode_markup(text, profile, tokenizer)) * number for text, number in pieces.items())


def bound_tokens(parts: Sequence[Part], profile: Profile | None, tokenizer: LazyTokenizer) -> int:
    """Return an upper bound of `count_parts` and `count_markup` together; it needs no vocabulary.

    A mark is one token of at least one byte. The text between two marks is encoded by itself, and SentencePiece begins
    each text with an extra token, so markup is counted character by character.
    """
    bound = sum(_bound_content(part.content, profile, tokenizer) for part in parts)
    if profile is None and not has_frames(parts):
        return bound
    pieces = output_turns.count_markup(parts, profile)
    return bound + sum(sum(map(tokenizer.most_tokens, text)) * number for text, number in pieces.items())


def _bound_content(content: Content, profile: Profile | None, tokenizer: LazyTokenizer) -> int:
    if isinstance(content, str):
        return tokenizer.most_tokens(content)
    attachments = [item for item in content if isinstance(item, dict) and item.get("type") != "text"]
    texts = [str(item["text"] if isinstance(item, dict) else item) for item in content if item not in attachments]
    return sum(map(tokenizer.most_tokens, texts)) + sum(
        compute_attachment_cost(item, profile) or 0 for item in attachments
    )


def count_frames(parts: Sequence[Part], profile: Profile | None, tokenizer: Tokenizer) -> list[int]:
    """Return the token count of the markup that each part has itself, if the profile has none."""
    return [
        sum(len(_encode_markup(mark, profile, tokenizer)) for mark in (part.frame.before, part.frame.after))
        if part.frame
        else 0
        for part in parts
    ]


def has_frames(parts: Sequence[Part]) -> bool:
    """Whether any part has its own layout."""
    return any(map(attrgetter("frame"), parts))


def count_pieces(texts: Iterable[str], profile: Profile | None, tokenizer: Tokenizer) -> int:
    """Return the token count of pieces of markup, each encoded by itself."""
    return sum(len(_encode_markup(text, profile, tokenizer)) for text in texts)


def compute_turn_cost(role: str, profile: Profile, tokenizer: Tokenizer) -> int:
    """Return the token count of the markup around one turn of a role."""
    around = profile.markup.roles.get(role, ()) if profile.markup else ()
    return sum(len(_encode_markup(text, profile, tokenizer)) for text in around)


def _encode_markup(text: str, profile: Profile | None, tokenizer: Tokenizer) -> Ids:
    if profile is None:
        return tokenizer.encode_markup(text, {})
    if profile.markup and profile.markup.own_spaces:
        text = text.strip(" ")
    return tokenizer.encode_markup(text, profile.marks) if text else ()


def count_input_tokens(part: Part, tokenizer: Tokenizer) -> int:
    """Return how many tokens of a part's text overlap what came from inputs."""
    spans = [(mark.start, mark.end) for mark in part.marks if mark.site.kind == "input"]
    return tokenizer.count_spans(part.content, spans) if isinstance(part.content, str) else 0


def compute_attachment_cost(item: dict[str, Any], profile: Profile | None) -> int | None:
    """Return the tokens of an image or file: the author's `token_cost`, else the profile's figure, else None."""
    stated = item.get("token_cost")
    if isinstance(stated, int) and not isinstance(stated, bool) and stated >= 0:
        return stated
    if profile is None:
        return None
    return profile.image_tokens if "image" in str(item.get("type")) else profile.file_tokens


def list_unknown_costs(parts: Sequence[Part], profile: Profile | None) -> list[str]:
    """Return the names of the parts with an image or file of unknown cost, which counts as nothing."""
    mixed = [part for part in parts if type(part.content) is not str]
    return [part.name for part in mixed if any(_is_unknown(item, profile) for item in part.content)]


def describe_counter(tokenizer: Tokenizer, parts: Sequence[Part], profile: Profile | None) -> dict[str, Any]:
    """Describe what counted the parts and whether it is exact; lists parts with images or files of unknown cost."""
    uncounted = list_unknown_costs(parts, profile)
    facts = {"name": tokenizer.name, "revision": tokenizer.revision, "exact": tokenizer.exact and not uncounted}
    return {**facts, "uncounted": uncounted} if uncounted else facts


def _is_unknown(item: Any, profile: Profile | None) -> bool:
    return isinstance(item, dict) and item.get("type") != "text" and compute_attachment_cost(item, profile) is None


class Targets:
    """What a Prompt's targets and stamp are made from; `origin` is the stamp without the rendered digest."""

    def __init__(self, profile: Profile | None, tokenizer: Tokenizer, origin: Callable[[], Stamp]) -> None:
        self._profile = profile
        self._tokenizer = tokenizer
        self._origin = origin

    def messages(self, parts: Sequence[Part]) -> list[dict[str, Any]]:
        return build_messages(parts, self._profile)

    def text(self, parts: Sequence[Part]) -> str:
        return text(parts, self._profile)

    def tokens(self, parts: Sequence[Part]) -> list[int]:
        return encode_prompt(parts, self._profile, self._tokenizer)

    def input_tokens(self, part: Part) -> int:
        return count_input_tokens(part, self._tokenizer)

    def stamp(self, parts: Sequence[Part]) -> Stamp:
        turns = json.dumps([[part.role, part.content] for part in parts], ensure_ascii=False, separators=(",", ":"))
        return replace(self._origin(), rendered_digest="sha256:" + hashlib.sha256(turns.encode()).hexdigest())
