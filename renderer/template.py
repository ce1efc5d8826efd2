"""Loading a document with its fragments, profile and vocabulary, and rendering it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from promptuary.renderer import formats, profiles
from promptuary.renderer.digest import ENGINE, digest
from promptuary.renderer.document import parser as documents
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError, EngineError, InputError
from promptuary.renderer.formats.fragments import Source, resolve_fragments
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs.declarations import Inputs, check_function_names
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.output import targets
from promptuary.renderer.output.targets import Targets
from promptuary.renderer.part import Part
from promptuary.renderer.prompt import Prompt, Stamp
from promptuary.renderer.tokens import lazy
from promptuary.renderer.tokens.base import Tokenizer
from promptuary.renderer.tokens.vocabulary_catalogue import VocabularySource
from promptuary.renderer.truncation import fitting

if TYPE_CHECKING:
    from promptuary.renderer.replies.shapers import outputs
    from promptuary.renderer.replies.shapers.context import Clock
    from promptuary.renderer.replies.shapers.outputs import Outputs
else:
    outputs = Deferred("promptuary.renderer.replies.shapers.outputs")

__all__ = ["Template", "TokenizerLike", "build_template", "find_profile", "from_bundle", "load"]

Functions = Mapping[str, Callable[..., Any]]
TokenizerLike = str | Callable[[str], Sequence[Any]] | Tokenizer | None
Kind = TypeVar("Kind", bound="Template")


def load(
    text: str,
    *,
    fragments: Source = None,
    profile: Mapping[str, Any] | str | None = None,
    functions: Functions | None = None,
    vocabularies: VocabularySource | None = None,
) -> "Template":
    """Parse a document, fetch its fragments and compile it. Raises DocumentError with the line, or a subclass.

    `fragments` maps pinned references to texts, or is a function that does. `profile` is a mapping, a name, or None for
    the document's own or that of its model. `functions` are the caller's own, callable from the template; they mark the
    template as local, since no other process can render it identically. `vocabularies` is asked, on the first count,
    for a vocabulary that no installed package contains.
    """
    document = documents.parse_document(text)
    resolved = resolve_fragments(document, fragments)
    template = Template(document, resolved, find_profile(document, profile), functions or {})
    template.vocabularies = vocabularies
    return template


def from_bundle(bundle: Mapping[str, Any]) -> "Template":
    """Build a template from a fetch's bundle; `name` and `version` go into stamps. Raises EngineError if too new."""
    return build_template(Template, bundle)


def build_template(kind: type[Kind], bundle: Mapping[str, Any]) -> Kind:
    """As `from_bundle`, for a subclass of Template."""
    engine = bundle.get("engine")
    if engine != ENGINE:
        message = f"this version needs engine {engine}; this renderer knows engine {ENGINE}, so update the package"
        raise EngineError(message)
    document = documents.parse_document(bundle["document"])
    resolved = resolve_fragments(document, bundle["fragments"])
    return kind(document, resolved, bundle.get("profile"), {}, name=bundle.get("name"), version=bundle.get("version"))


def find_profile(document: Document, profile: Mapping[str, Any] | str | None) -> dict[str, Any] | None:
    """Return the profile's mapping: the given one, the document's, or its model's; else None. Raises ProfileError."""
    if isinstance(profile, Mapping):
        return dict(profile)
    name = profile or document.profile
    if name is not None:
        try:
            return profiles.find_builtin_profile(name)
        except DocumentError as error:
            raise error.located(document.place("profile") if not profile else None) from error
    return profiles.find_profile_of_model(document.model) if document.model else None


class Template:
    """A compiled document. Thread-safe; rendering doesn't modify it.

    `vocabularies` supplies the vocabulary for counting if no installed package contains it.
    """

    vocabularies: VocabularySource | None = None

    def __init__(
        self,
        document: Document,
        fragments: Mapping[str, str],
        profile: Mapping[str, Any] | None,
        functions: Functions,
        *,
        name: str | None = None,
        version: int | None = None,
    ) -> None:
        self.document = document
        self.fragments = dict(fragments)
        self.profile = dict(profile) if profile is not None else None
        self.functions = dict(functions)
        self.name = name
        self.version = version
        check_function_names(self.functions)
        self.inputs = Inputs(document)
        self._profile = None if self.profile is None else profiles.check(self.profile, document.settings)
        self.body = self._compile(document)

    def _compile(self, document: Document) -> formats.Body:
        offered = {**{name: function.call for name, function in FUNCTIONS.items()}, **self.functions}
        body = formats.find_format(document.format).compile(document, self.fragments, offered)
        return body.bind_profile(self._profile) if isinstance(body, formats.WithProfile) else body

    def __repr__(self) -> str:
        name = f"{self.name}@{self.version}" if self.name and self.version else self.name or "without a name"
        return f"<{type(self).__name__} {name}, format {self.document.format}, {self.digest[:19]}>"

    def bundle(self) -> dict[str, Any]:
        """The four fields that the digest covers."""
        return {
            "engine": ENGINE,
            "document": self.document.text,
            "fragments": dict(self.fragments),
            "profile": self.profile,
        }

    @cached_property
    def digest(self) -> str:
        """`sha256:…` of the bundle."""
        return digest(self.bundle())

    @property
    def checked_profile(self) -> profiles.Profile | None:
        """The profile in use, modified by the document's settings."""
        return self._profile

    @property
    def context(self) -> int | None:
        """The maximum tokens of the profile's models, or None."""
        return self._profile.context if self._profile is not None else None

    def render(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        token_limit: int | None = None,
        truncation_step: int | None = None,
        tokenizer: TokenizerLike = None,
        extra: Literal["ignore", "error"] = "ignore",
        prompt: str | None = None,
    ) -> Prompt:
        """Render to one prompt that fits the limit.

        `token_limit`: None is the document's, -1 means no limit. `tokenizer`: a name, a `tokenizer.json` file, or a
        function from text to tokens; None is the profile's. `prompt` replaces the body; the result then has no version.
        Raises InputError, TruncationError, MissingVocabularyError if the tokens must be counted and can't be, or
        DocumentError if the document turns out to be wrong for these data.
        """
        prompts = self.render_all(
            data,
            token_limit=token_limit,
            truncation_step=truncation_step,
            tokenizer=tokenizer,
            extra=extra,
            prompt=prompt,
        )
        if len(prompts) != 1:
            message = f"these data give {len(prompts)} prompts; use render_all for them"
            raise InputError(message, code="PT802")
        return prompts[0]

    def render_all(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        token_limit: int | None = None,
        truncation_step: int | None = None,
        tokenizer: TokenizerLike = None,
        extra: Literal["ignore", "error"] = "ignore",
        prompt: str | None = None,
    ) -> list[Prompt]:
        """Render to all prompts for the data: a single one, except when a `shaped` document fans out."""
        limit, step = self._limit(token_limit), fitting.choose_step(truncation_step, self.document.truncation_step)
        context, ignored = self._build_context(data, extra, limit)
        body = self.body if prompt is None else self._compile(self.document.with_body(prompt))
        counter = self.tokenizer(tokenizer)
        tools = body.build_tools(context) if isinstance(body, formats.WithTools) else self.document.tools
        return [
            self._fit(parts, counter, tools, limit=limit, step=step, ignored=ignored, overridden=prompt is not None)
            for parts in body.build_parts(context)
        ]

    def rendering_context(self, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the values that the body sees for these data, as in `render` without options. Raises InputError."""
        return self._build_context(data, "ignore", self._limit(None))[0]

    def _build_context(
        self, data: Mapping[str, Any] | None, extra: Literal["ignore", "error"], limit: int | None
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        context, ignored = self.inputs.prepare({} if data is None else data, extra)
        context.setdefault("token_limit", -1 if limit is None else limit)
        return context, ignored

    def read(
        self,
        replies: str | Sequence[str],
        data: Mapping[str, Any] | None = None,
        prompts: Sequence[Any] | None = None,
        *,
        clock: "Clock | None" = None,
    ) -> "Outputs":
        """Read a model's replies as `output` declares: `{name: value}`. Raises OutputError.

        `prompts` are those that the replies answer, as texts or Prompts; None is those that a shaped document makes of
        the data, which matches the replies of a fan-out with their documents.
        """
        prompt_texts = self._list_asked_prompts(data or {}) if prompts is None else prompts
        texts = [prompt.text if isinstance(prompt, Prompt) else prompt for prompt in prompt_texts]
        return outputs.read_outputs(self.document, replies, data or {}, texts, clock=clock)

    def _list_asked_prompts(self, data: Mapping[str, Any]) -> list[str]:
        """The prompts of a shaped document for these data; none if data are missing, as replies can be read without."""
        if self.document.format != "shaped":
            return []
        try:
            context, _ = self.inputs.prepare(data, "ignore")
            return [str(parts[0].content) for parts in self.body.build_parts(context)]
        except InputError:
            return []

    def _fit(
        self,
        parts: Sequence[Part],
        tokenizer: Tokenizer,
        tools: tuple[Any, ...],
        *,
        limit: int | None,
        step: int,
        ignored: tuple[str, ...],
        overridden: bool,
    ) -> Prompt:
        document = self.document
        fitted = fitting.fit_parts(
            parts,
            tokenizer,
            self._profile,
            limit=fitting.leave_reserve(limit, document.reserve),
            step=step,
            keep_last=document.keep_last,
            keep_pairs=document.keep_pairs,
        )
        return Prompt(
            parts=tuple(fitted.parts),
            counts=fitted.counts,
            cut=tuple(fitted.cuts),
            ignored=ignored,
            tokenizer=targets.describe_counter(tokenizer, fitted.parts, self._profile),
            token_limit=limit,
            reserve=document.reserve,
            settings=document.settings,
            model=document.model,
            tools=tools,
            profile=self.profile,
            renderer=Targets(self._profile, tokenizer, lambda: self._build_stamp(overridden)),
        )

    def _limit(self, limit: int | None) -> int | None:
        return fitting.choose_token_limit(limit, self.document.token_limit, self.context)

    def _build_stamp(self, overridden: bool) -> Stamp:
        """The stamp of every prompt of this template, without the digest of the rendered text."""
        local = tuple(sorted(self.functions))
        if overridden:
            return Stamp(None, "", overridden=True, local_functions=local)
        return Stamp(self.digest, "", self.name, self.version, local_functions=local)

    def tokenizer(self, tokenizer: TokenizerLike = None) -> Tokenizer:
        """Return the tokenizer for counting: the given one, else the profile's, else the default."""
        if tokenizer is None and self._profile is not None:
            return profiles.make_lazy_tokenizer(self._profile, self.vocabularies)
        return lazy.find_lazy_tokenizer(tokenizer, self.vocabularies)
