"""The actions in a namespace: the lowest role for each verb, and the verbs that keys can have."""

from enum import StrEnum

from django.utils.translation import gettext_lazy

from registry.accounts.models import Key
from registry.namespaces.models import Role

__all__ = [
    "BY_NAME_ONLY",
    "IN_WORDS",
    "KEY_VERBS",
    "NEVER_BY_KEY",
    "NEVER_BY_NARROW_KEY",
    "NEVER_BY_OPERATOR",
    "SCOPES",
    "TABLE",
    "WRITING",
    "Verb",
]


class Verb(StrEnum):
    """An action in a namespace."""

    BROWSE = "browse"  # names, labels and the versions that the caller may fetch; reading includes it
    READ = "read"
    CHECK = "check"
    FETCH = "fetch"
    SAVE = "save"
    PROPOSE = "propose"
    COMMENT = "comment"
    MOVE = "move"
    PUBLISH = "publish"
    APPROVE = "approve"
    EVALUATE = "evaluate"
    TRY = "try"
    ROLL_BACK = "roll_back"
    MANAGE = "manage"


TABLE: dict[Verb, Role] = {  # the lowest role that may
    Verb.BROWSE: Role.READER,
    Verb.READ: Role.READER,
    Verb.CHECK: Role.READER,
    Verb.FETCH: Role.READER,
    Verb.SAVE: Role.AUTHOR,
    Verb.PROPOSE: Role.AUTHOR,
    Verb.COMMENT: Role.AUTHOR,
    Verb.MOVE: Role.AUTHOR,
    Verb.PUBLISH: Role.AUTHOR,
    Verb.EVALUATE: Role.AUTHOR,
    Verb.TRY: Role.AUTHOR,
    Verb.APPROVE: Role.REVIEWER,
    Verb.ROLL_BACK: Role.REVIEWER,
    Verb.MANAGE: Role.ADMIN,
}
NEVER_BY_KEY = frozenset({Verb.APPROVE, Verb.MANAGE, Verb.TRY})
BY_NAME_ONLY = frozenset({Verb.ROLL_BACK})  # no scope includes it: it moves a protected label immediately
NEVER_BY_NARROW_KEY = frozenset({Verb.READ, Verb.COMMENT, Verb.EVALUATE})  # they show text of any version
KEY_VERBS = tuple(verb for verb in Verb if verb not in {*NEVER_BY_KEY, Verb.BROWSE})  # what a key can have
SCOPES: dict[str, frozenset[Verb]] = {  # the named sets; a key with the scope chosen has its own set
    Key.READ: frozenset({Verb.READ, Verb.CHECK, Verb.FETCH}),
    Key.WRITE: frozenset(KEY_VERBS) - BY_NAME_ONLY,
}
WRITING = frozenset(KEY_VERBS) - SCOPES[Key.READ]
NEVER_BY_OPERATOR = frozenset({Verb.APPROVE})
IN_WORDS = {
    Verb.BROWSE: gettext_lazy("read"),
    Verb.READ: gettext_lazy("read"),
    Verb.CHECK: gettext_lazy("check"),
    Verb.FETCH: gettext_lazy("fetch"),
    Verb.SAVE: gettext_lazy("save"),
    Verb.PROPOSE: gettext_lazy("propose"),
    Verb.COMMENT: gettext_lazy("comment"),
    Verb.MOVE: gettext_lazy("move labels"),
    Verb.PUBLISH: gettext_lazy("publish"),
    Verb.APPROVE: gettext_lazy("approve"),
    Verb.EVALUATE: gettext_lazy("run evaluations"),
    Verb.TRY: gettext_lazy("try a prompt with a model"),
    Verb.ROLL_BACK: gettext_lazy("roll back"),
    Verb.MANAGE: gettext_lazy("manage members, keys and rules"),
}
