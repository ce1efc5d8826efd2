"""A fetched template: a renderer template that knows whether it is stale and counts its renderings."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from promptuary import renderer
from promptuary._outcomes import check_scores
from promptuary._row_sender import AddedRows, RowSender
from promptuary._usage import Usage
from promptuary.errors import ConfigurationError
from promptuary.renderer.template import TokenizerLike
from promptuary.renderer.tokens import tokenizers

__all__ = ["Template"]


class Template(renderer.Template):
    """What a client gives. Threads may share it.

    `stale`: the registry could not confirm it when it was last asked; it is set and cleared while the template is kept.
    """

    stale: bool = False
    usage: Usage | None = None
    rows: RowSender | None = None

    @classmethod
    def adopt(cls, template: renderer.Template) -> Self:
        """The same template as one of this kind, without compiling it again."""
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

        They are sent in the background with the next report. A score with the same `trace_id` and name as an earlier
        one replaces it; `bucket` says whose reply it was (it is counted, never shown). Gives False if the client was
        made with `reports=False`. Raises ValueError for a name or number that is none.
        """
        if self.usage is None:
            check_scores(scores, trace_id, bucket)
            return False
        self.usage.note_outcomes(self, scores, trace_id, bucket)
        return True

    def add_row(self, dataset: str, inputs: Mapping[str, Any], expected: object = None, *, name: str = "") -> AddedRows:
        """Keep one call of this template as a row of a dataset, which must fit its inputs; the key must be one that may
        save.

        expected: outputs by name, or a text, which becomes the expected `answer`. name: of the row, such as a trace id;
        a named row that is there already as it is given is not added again. Blocks until the registry answered: on an
        event loop use `AsyncPromptuary.add_rows`. Raises PromptuaryError; ConfigurationError for a template that came
        from no registry.
        """
        if self.rows is None:
            raise ConfigurationError("this template came from no registry, so it has none to add a row to")
        row = {"id": name, "inputs": dict(inputs), "expected": expected}
        return self.rows(dataset, [row], template=self.name)

    def needs_nothing(self, tokenizer: TokenizerLike = None) -> bool:
        """Whether its tokens can be counted with what this process has read already."""
        return tokenizers.is_loaded(self.tokenizer(tokenizer).name)
