"""A fetched template: a renderer template that tracks whether it is stale and counts its renderings."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from promptuary import renderer
from promptuary._outcomes import check_scores
from promptuary._row_sender import AddedRows, RowSender
from promptuary._usage import Usage
from promptuary.errors import ConfigurationError
from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.template import TokenizerLike

if TYPE_CHECKING:
    from promptuary.renderer.tokens import tokenizers
else:
    tokenizers = Deferred("promptuary.renderer.tokens.tokenizers")

__all__ = ["Template"]


class Template(renderer.Template):
    """A template from a client. Thread-safe.

    `stale`: the registry could not confirm it the last time; updated while the template is in the cache.
    """

    stale: bool = False
    usage: Usage | None = None
    rows: RowSender | None = None

    @classmethod
    def adopt(cls, template: renderer.Template) -> Self:
        """Make a template of this class from another one without recompiling it."""
        adopted = cls.__new__(cls)
        adopted.__dict__.update(template.__dict__)
        return adopted

    def render_all(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        token_limit: int | None = None,
        truncation_step: int | None = None,
        tokenizer: TokenizerLike = None,
        extra: Literal["ignore", "error"] = "ignore",
        prompt: str | None = None,
    ) -> list[renderer.Prompt]:
        """As `renderer.Template.render_all`; `render` goes through here too."""
        try:
            prompts = super().render_all(
                data,
                token_limit=token_limit,
                truncation_step=truncation_step,
                tokenizer=tokenizer,
                extra=extra,
                prompt=prompt,
            )
        except renderer.RenderError as error:
            if self.usage is not None and prompt is None:
                self.usage.count_failure(self, error.code, data)
            raise
        if self.usage is not None and prompt is None:
            counts = [item.counts.known for item in prompts]
            known_counts = [number for number in counts if number is not None]
            uncounted = [item for item in prompts if item.counts.known is None]
            self.usage.count_renders(self, known_counts, data, uncounted, sum(bool(item.cut) for item in prompts))
        return prompts

    def report(self, *, trace_id: str | None = None, bucket: str | None = None, **scores: float) -> bool:
        """Report scores of one reply to this version: `template.report(helpful=1, cites_source=0.5, trace_id=…)`.

        They are sent in the background with the next report. A score replaces an earlier one with the same `trace_id`
        and name; `bucket` says whose reply it was (it is counted, never shown). Returns False if the client was created
        with `reports=False`. Raises ValueError for an invalid name or number.
        """
        if self.usage is None:
            check_scores(scores, trace_id, bucket)
            return False
        self.usage.note_outcomes(self, scores, trace_id, bucket)
        return True

    def add_row(self, dataset: str, inputs: Mapping[str, Any], expected: object = None, *, name: str = "") -> AddedRows:
        """Save one call of this template as a row of a dataset. The row must fit the template's inputs.

        expected: outputs by name, or a text for the output `answer`. name: of the row, such as a trace id; a named row
        that exists with the same content is not added again. The key needs permission to save. Blocks until the
        registry has answered: on an event loop use `AsyncPromptuary.add_rows`. Raises PromptuaryError;
        ConfigurationError for a template that wasn't fetched from a registry.
        """
        if self.rows is None:
            raise ConfigurationError("this template came from no registry, so it has none to add a row to")
        row = {"id": name, "inputs": dict(inputs), "expected": expected}
        return self.rows(dataset, [row], template=self.name)

    def is_tokenizer_loaded(self, tokenizer: TokenizerLike = None) -> bool:
        """Whether its tokens can be counted with what this process has already loaded."""
        return tokenizers.is_loaded(self.tokenizer(tokenizer).name)
