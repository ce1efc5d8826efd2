"""Parts to turns to pieces: applies a profile's policies and markup, and keeps track of each piece's part.

A turn is what a model sees as one message. Without a profile each part is a turn. With one, the system text goes where
the family requires it, and adjacent parts of one role are joined if the family doesn't allow them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from promptuary.renderer.errors import ProfileError
from promptuary.renderer.part import Content, Part
from promptuary.renderer.problems import Place
from promptuary.renderer.profiles import Profile

__all__ = ["Piece", "Turn", "build_turns", "convert_role", "count_markup", "lay_out", "uses_own_layout"]

# The roles that replace those that a family's markup lacks.
_STAND_INS = {"developer": "system", "function": "tool", "tool": "user"}


class Piece(NamedTuple):
    """A stretch of the laid-out prompt. `part` is the index of the part it came from, None for markup.

    `attachment` is the content item of an image or file, which has no text of its own.
    """

    text: str
    part: int | None = None
    attachment: dict[str, Any] | None = None


@dataclass(slots=True)
class Turn:
    """A role and its contents, each with the index of its part; None for text that the profile adds."""

    role: str
    contents: list[tuple[Content, int | None]] = field(default_factory=list)


def build_turns(parts: Sequence[Part], profile: Profile | None, *, spoken_only: bool = False) -> list[Turn]:
    """Turn parts into turns by the profile's policies. Raises ProfileError if the family doesn't support them.

    `spoken_only` leaves out what belongs in the text of a prompt but not in its messages.
    """
    laid_out = _glue_parts(parts, profile, spoken_only)
    if profile is None:
        return laid_out
    if profile.system != "native":
        laid_out = _place_system(laid_out, parts, profile)
    if profile.merge:
        laid_out = _merge_turns(laid_out, _find_separator(profile))
    if profile.user_first:
        _check_user_first(laid_out, parts, profile)
    return laid_out


def _glue_parts(parts: Sequence[Part], profile: Profile | None, spoken_only: bool) -> list[Turn]:
    """One turn per part, except that a frame's glue appends a part to the one before."""
    turns: list[Turn] = []
    for index, part in enumerate(parts):
        frame = part.frame
        if frame is not None and spoken_only and not frame.spoken:
            continue
        if frame is None or frame.glue is None or not turns:
            turns.append(Turn(convert_role(part.role, profile), [(part.content, index)]))
            continue
        before = turns[-1].contents
        apart = frame.glue and part.content and any(content for content, _ in before)
        before.extend([(frame.glue, None), (part.content, index)] if apart else [(part.content, index)])
    return turns


def convert_role(role: str, profile: Profile | None) -> str:
    """Return the family's role for a part with this role. Raises ProfileError if it has none."""
    if profile is None or profile.markup is None:
        return role
    roles = profile.markup.roles
    while role not in roles and role in _STAND_INS:
        role = _STAND_INS[role]
    if role not in roles and role != "system":
        raise ProfileError(f"The profile {profile.name} has no role `{role}`; it has {', '.join(roles)}.")
    return role


def _find_separator(profile: Profile) -> str:
    return profile.markup.separator if profile.markup else "\n\n"


def _place_system(turns: list[Turn], parts: Sequence[Part], profile: Profile) -> list[Turn]:
    system = [turn for turn in turns if turn.role in ("system", "developer")]
    other_turns = [turn for turn in turns if turn.role not in ("system", "developer")]
    if not system:
        return other_turns
    if profile.system == "refuse":
        part = parts[system[0].contents[0][1] or 0]
        message = f"Models of the profile {profile.name} take no system message, but the part `{part.name}` is one."
        raise ProfileError(message, place=_place(part))
    contents = _join_contents([turn.contents for turn in system], _find_separator(profile))
    if profile.system == "first":
        return [Turn("system", contents), *other_turns]
    before, after = profile.markup.system_wrap if profile.markup else ("", "\n\n")
    wrapped = [(text, None) for text in (before,) if text] + contents + [(text, None) for text in (after,) if text]
    users = [place for place, turn in enumerate(other_turns) if turn.role == "user"]
    if not users:
        return [Turn("user", wrapped), *other_turns]
    place = users[0] if profile.system == "first-user" else users[-1]
    other_turns[place] = Turn("user", wrapped + other_turns[place].contents)
    return other_turns


def _merge_turns(turns: list[Turn], separator: str) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        if merged and merged[-1].role == turn.role:
            merged[-1].contents.extend([(separator, None), *turn.contents])
        else:
            merged.append(Turn(turn.role, list(turn.contents)))
    return merged


def _join_contents(
    contents: list[list[tuple[Content, int | None]]], separator: str
) -> list[tuple[Content, int | None]]:
    merged: list[tuple[Content, int | None]] = []
    for content in contents:
        merged.extend([(separator, None), *content] if merged else content)
    return merged


def _check_user_first(turns: list[Turn], parts: Sequence[Part], profile: Profile) -> None:
    first = next((turn for turn in turns if turn.role != "system"), None)
    if first is None or first.role == "user":
        return
    part = parts[next(index for _, index in first.contents if index is not None)]
    message = (
        f"Models of the profile {profile.name} want a user's turn first, but the part `{part.name}` comes "
        "first and has "
        f"the role {part.role}."
    )
    raise ProfileError(message, place=_place(part))


def _place(part: Part) -> Place | None:
    return Place(part.line, 1) if part.line else None


def lay_out(parts: Sequence[Part], profile: Profile | None) -> Iterator[Piece]:
    """Lay out the prompt: markup and contents in the order in which the model reads them."""
    markup = profile.markup if profile else None
    if uses_own_layout(parts, profile):
        yield from _lay_out_frames(parts)
        return
    laid_out = build_turns(parts, profile)
    if profile and profile.default_system is not None and not any(turn.role == "system" for turn in laid_out):
        laid_out.insert(0, Turn("system", [(profile.default_system, None)] if profile.default_system else []))
    if profile is None or markup is None:
        for turn in laid_out:
            yield from _lay_out_turn(turn, trim=False)
        return
    if markup.start:
        yield Piece(markup.start)
    last = laid_out[-1] if laid_out else None
    for turn in laid_out:
        before, after = markup.roles[turn.role]
        if before:
            yield Piece(before)
        yield from _lay_out_turn(turn, trim=markup.trim)
        # Families that allow it continue a final assistant turn as the beginning of the reply, so it stays open.
        if after and not (turn is last and _is_left_open(turn, profile)):
            yield Piece(after)
    if markup.reply and not (last and _is_left_open(last, profile)):
        yield Piece(markup.reply)


def uses_own_layout(parts: Sequence[Part], profile: Profile | None) -> bool:
    """Whether the parts' own layout is used: the profile has none, or has LazyLLM's marks for that layout."""
    has_own_layout = profile is None or profile.markup is None or bool(profile.lazyllm)
    return has_own_layout and any(part.frame for part in parts)


def count_markup(parts: Sequence[Part], profile: Profile | None) -> Counter[str]:
    """Return how often each piece of markup occurs in the laid-out prompt."""
    if profile is None or profile.markup is None or not parts or not _each_part_is_a_turn(parts, profile):
        return Counter(piece.text for piece in lay_out(parts, profile) if piece.part is None)
    # Only the roles matter, and who comes last: lay out one system part and the last, then add the others by number.
    system = next((part for part in parts[:-1] if convert_role(part.role, profile) == "system"), None)
    few = [part for part in (system, parts[-1]) if part]
    counts = Counter(piece.text for piece in lay_out(few, profile) if piece.part is None)
    role_counts = Counter(map(attrgetter("role"), parts))
    role_counts.subtract(part.role for part in few)
    for role, number in role_counts.items():
        for text in profile.markup.roles[convert_role(role, profile)]:
            counts[text] += number
    return counts


def _each_part_is_a_turn(parts: Sequence[Part], profile: Profile) -> bool:
    rearranges = profile.system != "native" or profile.merge or profile.user_first
    return not rearranges and not any(map(attrgetter("frame"), parts))


def _lay_out_frames(parts: Sequence[Part]) -> Iterator[Piece]:
    """The layout that the parts have themselves."""
    for index, part in enumerate(parts):
        frame = part.frame
        if frame and frame.before:
            yield Piece(frame.before)
        yield from _lay_out_turn(Turn(part.role, [(part.content, index)]), trim=False)
        if frame and frame.after:
            yield Piece(frame.after)


def _is_left_open(turn: Turn, profile: Profile) -> bool:
    return profile.prefill and turn.role == "assistant"


def _lay_out_turn(turn: Turn, *, trim: bool) -> Iterator[Piece]:
    for content, index in turn.contents:
        if isinstance(content, str):
            yield Piece(content.strip() if trim and index is not None else content, index)
            continue
        for item in content:
            if isinstance(item, dict) and item.get("type") != "text":
                yield Piece("", index, item)
            else:
                yield Piece(str(item["text"] if isinstance(item, dict) else item), index)
