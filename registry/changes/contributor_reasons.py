"""The reasons why a contributor's approval of a change does not count, as text."""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext_noop

__all__ = [
    "GRANTED",
    "HEADED",
    "JOINED",
    "KEY_HEADED",
    "KEY_OPENED",
    "KEY_PROPOSED",
    "KEY_REOPENED",
    "KEY_SAME",
    "KEY_SUGGESTED",
    "KEY_WROTE",
    "OPENED",
    "PROPOSED",
    "RENAMED",
    "REOPENED",
    "RESET",
    "SAME",
    "SUGGESTED",
    "WROTE",
    "Reason",
    "Wording",
]


@dataclass(frozen=True)
class Reason:
    """Why a person's approval does not count: `you` as a sentence to that person, `they` as a clause after the name."""

    code: str
    you: str
    they: str


class Wording(NamedTuple):
    """A reason before it is translated and formatted."""

    code: str
    you: str
    they: str


OPENED = Wording("opened", gettext_noop("You proposed this change."), gettext_noop("proposed this change"))
KEY_OPENED = Wording(
    "key",
    gettext_noop("You issued the key that this change was proposed with."),
    gettext_noop("issued the key that this change was proposed with"),
)
HEADED = Wording(
    "headed",
    gettext_noop("You updated this change to version {number}."),
    gettext_noop("updated this change to version {number}"),
)
KEY_HEADED = Wording(
    "key",
    gettext_noop("You issued the key that this change was updated to version {number} with."),
    gettext_noop("issued the key that this change was updated to version {number} with"),
)
REOPENED = Wording("reopened", gettext_noop("You reopened this change."), gettext_noop("reopened this change"))
KEY_REOPENED = Wording(
    "key",
    gettext_noop("You issued the key that this change was reopened with."),
    gettext_noop("issued the key that this change was reopened with"),
)
WROTE = Wording(
    "wrote",
    gettext_noop("You wrote {version}, which this change contains."),
    gettext_noop("wrote {version}"),
)
KEY_WROTE = Wording(
    "key",
    gettext_noop("You issued the key that {version} was saved with."),
    gettext_noop("issued the key that {version} was saved with"),
)
SUGGESTED = Wording(
    "suggested",
    gettext_noop("Your suggestion is in {version}, which this change contains."),
    gettext_noop("suggested lines of {version}"),
)
KEY_SUGGESTED = Wording(
    "suggested",
    gettext_noop("You issued the key that a suggestion in {version} was made with."),
    gettext_noop("issued the key that a suggestion in {version} was made with"),
)
SAME = Wording(
    "same",
    gettext_noop("You wrote version {twin}, which has the same text as version {number} of this change."),
    gettext_noop("wrote version {twin}, which has the same text as version {number} of this change"),
)
KEY_SAME = Wording(
    "key",
    gettext_noop("You issued the key that version {twin} was saved with, the same text."),
    gettext_noop("issued the key that version {twin} was saved with, the same text"),
)
PROPOSED = Wording(
    "proposed",
    gettext_noop("You proposed this text in change {change}."),
    gettext_noop("proposed this text in change {change}"),
)
KEY_PROPOSED = Wording(
    "key",
    gettext_noop("You issued the key that this text was proposed with in change {change}."),
    gettext_noop("issued the key that this text was proposed with in change {change}"),
)
JOINED = Wording(
    "joined",
    gettext_noop(
        "You were put into the group {group} by {giver}, who contributed to this change, after its first "
        "version was saved."
    ),
    gettext_noop(
        "was put into the group {group} by {giver}, who contributed to this change, after its first version was saved"
    ),
)
RESET = Wording(
    "reset",
    gettext_noop(
        "You have two-step sign-in that {giver}, who contributed to this change, reset after its first version."
    ),
    gettext_noop("has two-step sign-in that {giver}, who contributed to this change, reset after its first version"),
)
RENAMED = Wording(
    "renamed",
    gettext_noop(
        "You have the role {role} for {template} because {giver}, who contributed to this change, gave it this "
        "name after its first version."
    ),
    gettext_noop(
        "has the role {role} for {template} because {giver}, who contributed to this change, gave it this name "
        "after its first version"
    ),
)
GRANTED = Wording(
    "granted",
    gettext_noop(
        "You have the role {role} in {namespace} from {giver}, who contributed to this change, after its first "
        "version was saved."
    ),
    gettext_noop(
        "has the role {role} in {namespace} from {giver}, who contributed to this change, after its first "
        "version was saved"
    ),
)
