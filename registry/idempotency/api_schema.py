"""The OpenAPI schema of an operation: its summary, and the header for an idempotency key."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from registry.idempotency import answers
from registry.idempotency.views import IdempotentView
from registry.rest.operation_summaries import SUMMARIES

__all__ = ["ApiSchema"]

_ABOUT = "1 to 255 visible ASCII characters. A request sent again with the same key is not done twice."


class ApiSchema(AutoSchema):
    """Adds the summary, and the header `Idempotency-Key` to each POST that takes one."""

    def get_summary(self) -> str | None:
        """Return the operation's summary, None for an id without one."""
        return SUMMARIES.get(self.get_operation_id())

    def get_override_parameters(self) -> list[Any]:
        """Parameters in addition to those of the view."""
        if self.method != "POST" or not isinstance(self.view, IdempotentView):
            return []
        return [OpenApiParameter(answers.HEADER, str, OpenApiParameter.HEADER, description=_ABOUT)]
