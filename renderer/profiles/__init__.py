"""Profiles: how a model family counts and marks up a chat. Each is a mapping, or a YAML file in this folder.

A profile contains no code: opening and closing text for each role, the marks that are single tokens, and a few
policies. `find_builtin_profile` and `find_profile_of_model` return mappings, which are stored in a template's bundle;
`check` turns a mapping into a Profile.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from promptuary.renderer.errors import ProfileError, TokenizerError
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.profiles.fields import FIELDS, MARKUP_FIELDS, explain_wrong_field
from promptuary.renderer.syntax import yaml_reader
from promptuary.renderer.tokens import lazy
from promptuary.renderer.tokens.base import Tokenizer
from promptuary.renderer.tokens.vocabulary_catalogue import VocabularySource, list_tokenizer_names

if TYPE_CHECKING:
    from importlib import resources

    from promptuary.renderer.tokens import tokenizers
else:
    resources = Deferred("importlib.resources")
    tokenizers = Deferred("promptuary.renderer.tokens.tokenizers")

__all__ = [
    "Markup",
    "Profile",
    "check",
    "find_builtin_profile",
    "find_profile_of_model",
    "list_profile_names",
    "make_lazy_tokenizer",
    "summary",
    "tokenizer",
]

# Fields for finding and describing a profile; they don't affect rendering, so they stay out of bundles.
_CATALOGUE = ("title", "models", "source")


@dataclass(frozen=True)
class Markup:
    """The text around turns. `roles` maps a role to the text before and after its content.

    `own_spaces`: spaces at the edges of markup come from the vocabulary, which begins every piece with one.
    """

    start: str = ""
    reply: str = ""
    roles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    separator: str = "\n\n"
    system_wrap: tuple[str, str] = ("", "")
    trim: bool = False
    own_spaces: bool = False


@dataclass(frozen=True)
class Profile:
    """A validated profile. `markup` is None if a prompt of this family is just its contents."""

    name: str
    tokenizer: str
    sha256: str = ""
    context: int | None = None
    markup: Markup | None = None
    marks: Mapping[str, int | None] = field(default_factory=dict)
    system: str = "native"
    merge: bool = False
    user_first: bool = False
    arguments: str = "string"
    content: str = "parts"
    prefill: bool = True
    stop: tuple[str, ...] = ()
    bos: str = ""
    eos: str = ""
    image_tokens: int | None = None
    file_tokens: int | None = None
    default_system: str | None = None
    thinking: Mapping[str, str] = field(default_factory=dict)
    lazyllm: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _load_catalogue() -> Mapping[str, Mapping[str, Any]]:
    """Every built-in profile by name; loaded once."""
    profiles = {}
    for file in resources.files(__name__).iterdir():
        if file.name.endswith(".yml"):
            mapping = yaml_reader.read_value(yaml_reader.compose(file.read_text(encoding="utf-8")))
            profiles[mapping["name"]] = MappingProxyType(mapping)
    return MappingProxyType(dict(sorted(profiles.items())))


def list_profile_names() -> list[str]:
    """Return the names of the built-in profiles."""
    return list(_load_catalogue())


def summary() -> list[dict[str, Any]]:
    """Return name, title, models, context, tokenizer and whether counting is exact here, to choose from."""
    vocabularies = tokenizers.list_vocabularies()
    return [
        {
            "name": name,
            "title": mapping["title"],
            "models": list(mapping["models"]),
            "context": mapping.get("context"),
            "tokenizer": mapping["tokenizer"],
            "exact": vocabularies.get(mapping["tokenizer"], False),
        }
        for name, mapping in _load_catalogue().items()
    ]


def find_builtin_profile(name: str) -> dict[str, Any]:
    """Return the mapping of a built-in profile, with its vocabulary pinned. Raises ProfileError for an unknown name."""
    mapping = _load_catalogue().get(name)
    if mapping is None:
        raise ProfileError(f"There is no profile named {name!r}. Known are {', '.join(_load_catalogue())}.")
    return _freeze(mapping)


def find_profile_of_model(model: str) -> dict[str, Any] | None:
    """Return the mapping of the profile for a provider's model id, or None. The longest matching pattern wins."""
    model_name = model.lower().rpartition("/")[2]
    fitting = [
        (len(pattern), name)
        for name, mapping in _load_catalogue().items()
        for pattern in mapping["models"]
        if fnmatchcase(model_name, pattern)
    ]
    return find_builtin_profile(max(fitting)[1]) if fitting else None


def _freeze(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the fields that affect rendering, and add the pin of the vocabulary."""
    frozen = {key: _copy(value) for key, value in mapping.items() if key not in _CATALOGUE}
    source = lazy.find_pinned_revision(str(mapping["tokenizer"]))
    if source:
        frozen["sha256"] = source
    return frozen


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def check(mapping: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> Profile:
    """Validate a profile mapping and return a Profile. Raises ProfileError naming the wrong field.

    `settings` are a document's: one that turns thinking off changes the beginning of the reply.
    """
    if not isinstance(mapping, Mapping):
        raise ProfileError("A profile must be a mapping of fields.")
    for key, value in mapping.items():
        complaint = explain_wrong_field(FIELDS, str(key), value)
        if complaint:
            raise ProfileError(complaint)
    for needed in ("name", "tokenizer"):
        if needed not in mapping:
            raise ProfileError(f"The profile needs the field `{needed}`.")
    fields_given = {key: value for key, value in mapping.items() if key not in (*_CATALOGUE, "markup", "date")}
    if mapping["tokenizer"] not in list_tokenizer_names():
        raise ProfileError(
            f"There is no vocabulary named {mapping['tokenizer']!r}; known are {', '.join(list_tokenizer_names())}."
        )
    marks = fields_given.pop("marks", {})
    fields_given["marks"] = dict.fromkeys(marks) if isinstance(marks, list) else dict(marks)
    fields_given["stop"] = tuple(fields_given.get("stop", ()))
    markup = _build_markup(mapping)
    thinking = mapping.get("thinking", {})
    if markup and settings and "off" in thinking and settings.get(thinking.get("setting")) is False:
        markup = replace(markup, reply=markup.reply + thinking["off"])
    return Profile(**fields_given, markup=markup)


def _build_markup(mapping: Mapping[str, Any]) -> Markup | None:
    markup = mapping.get("markup")
    if markup is None:
        return _build_lazyllm_markup(mapping["lazyllm"]) if mapping.get("lazyllm") else None
    for key, value in markup.items():
        complaint = explain_wrong_field(MARKUP_FIELDS, str(key), value)
        if complaint:
            raise ProfileError(f"markup: {complaint}")
    roles = markup.get("roles", {})
    needed = ["user", "assistant", *(["system"] if mapping.get("system", "native") in ("native", "first") else [])]
    missing = [role for role in needed if role not in roles]
    if missing:
        raise ProfileError(f"markup: `roles` lacks {', '.join(missing)}.")
    # The date is part of the profile, not today's: the same document renders the same next year.
    date = str(mapping.get("date", ""))
    return Markup(
        start=str(markup.get("start", "")).replace("{date}", date),
        reply=markup.get("reply", ""),
        roles={role: (before.replace("{date}", date), after) for role, (before, after) in roles.items()},
        separator=markup.get("separator", "\n\n"),
        system_wrap=tuple(markup.get("system_wrap", ("", ""))),
        trim=markup.get("trim", False),
        own_spaces=markup.get("own_spaces", False),
    )


def _build_lazyllm_markup(marks: Mapping[str, str]) -> Markup:
    """The chat form of LazyLLM, with its six marks and system text."""
    get = {name: marks.get(name, "") for name in ("system", "sos", "eos", "soh", "eoh", "soa", "eoa")}.__getitem__
    roles = {
        "system": (get("sos") + get("system"), get("eos") + "\n\n"),
        "user": (get("soh") + "\n", "\n" + get("eoh")),
        "assistant": (get("soa") + "\n", get("eoa")),
    }
    return Markup(reply=get("soa") + "\n", roles=roles)


def tokenizer(profile: Profile) -> Tokenizer:
    """Return the profile's tokenizer.

    Raises MissingVocabularyError if its vocabulary isn't available here, TokenizerError if it isn't the pinned one.
    """
    return _require_pinned(profile, tokenizers.find_tokenizer(profile.tokenizer))


def make_lazy_tokenizer(profile: Profile, source: VocabularySource | None = None) -> Tokenizer:
    """As `tokenizer`, but the vocabulary is loaded, or fetched from `source`, on the first count."""
    return _require_pinned(profile, lazy.find_lazy_tokenizer(profile.tokenizer, source))


def _require_pinned(profile: Profile, tokenizer: Tokenizer) -> Tokenizer:
    if profile.sha256 and tokenizer.revision and tokenizer.revision != profile.sha256:
        raise TokenizerError(
            f"The profile {profile.name} was saved with the vocabulary {profile.tokenizer} of sha256 "
            f"{profile.sha256[:16]}…, but here it is {tokenizer.revision[:16]}…: counts would differ."
        )
    return tokenizer
