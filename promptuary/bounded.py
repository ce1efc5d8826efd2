"""BoundedRenderer: renders fetched templates in child processes with limits on time, memory and output."""

from collections.abc import Mapping
from typing import Any

from promptuary import renderer
from promptuary.renderer.isolation import renderer as isolation_renderer

__all__ = ["BoundedRenderer"]


class BoundedRenderer(isolation_renderer.BoundedRenderer):
    """A `renderer.isolation.renderer.BoundedRenderer` with methods that take a template. Use one per process;
    threads share it.

    Rendering that takes too much time, memory or output raises `renderer.LimitError` with the line in the template,
    and the calling process carries on. Needs a system that can fork: Linux or macOS.
    """

    def render_template(
        self,
        template: renderer.Template,
        data: Mapping[str, Any] | None = None,
        *,
        target: str = "messages",
        cpu_seconds: float | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return `template.render(data, **options).to_dict(target)`, made in a child process.

        Raises what `Template.render` raises, LimitError if a limit was hit, and BusyError if too many calls are in
        progress. A child can't call the caller's own functions, so a template with some is refused with InputError.
        """
        _require_no_functions(template)
        result = self.render(
            template.document.text,
            data,
            fragments=template.fragments,
            profile=template.profile,
            target=target,
            cpu_seconds=cpu_seconds,
            **options,
        )
        stamp = {"name": template.name, "version": template.version}
        if isinstance(result.get("stamp"), dict):
            result["stamp"] = {**result["stamp"], **{key: value for key, value in stamp.items() if value is not None}}
        return result

    def read_template(
        self,
        template: renderer.Template,
        replies: Any,
        data: Mapping[str, Any] | None = None,
        *,
        cpu_seconds: float | None = None,
    ) -> Any:
        """Return `template.read(replies, data)`, made in a child process."""
        _require_no_functions(template)
        text, fragments, profile = template.document.text, template.fragments, template.profile
        return self.read(text, replies, data, fragments=fragments, profile=profile, cpu_seconds=cpu_seconds)


def _require_no_functions(template: renderer.Template) -> None:
    if template.functions:
        raise renderer.InputError("a template with functions of the caller's own can't be rendered in a child process")
