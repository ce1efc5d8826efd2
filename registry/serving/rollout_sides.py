"""The side of a rollout for a caller with a bucket: parsing the bucket, and the response."""

from collections.abc import Iterable
from urllib.parse import parse_qs

from django.utils.translation import gettext

from promptuary.renderer.rollouts import MAX_BUCKET_LENGTH, is_on_candidate_side
from registry.core.errors import Invalid
from registry.serving.responses import APPROVAL, Answer, ServedVersion, make_answer

__all__ = ["BUCKET", "SIDE", "answer_side", "gets_candidate", "is_candidate", "read_bucket"]

BUCKET = "bucket="  # a query string without this has no bucket; the fast path checks only this
SIDE = "Promptuary-Side"  # in responses to callers with a bucket: which version of the label's rollout this is


def read_bucket(query: str) -> str | None:
    """The caller's bucket in a query string, or None. Raises Invalid if it is given twice, empty or too long."""
    values = parse_qs(query, keep_blank_values=True).get("bucket")
    if values is None:
        return None
    if len(values) > 1:
        raise Invalid(fields={"bucket": gettext("give it once.")})
    if not 1 <= len(values[0]) <= MAX_BUCKET_LENGTH:
        raise Invalid(
            fields={
                "bucket": gettext("1 to {most} characters that stay the same for one caller.").format(
                    most=MAX_BUCKET_LENGTH
                )
            }
        )
    return values[0]


def gets_candidate(version: ServedVersion, bucket: str) -> bool:
    """Whether callers of this bucket get the candidate of the label's rollout; version: what the label serves."""
    rollout = version.rollout
    return rollout is not None and is_on_candidate_side(rollout.salt, bucket, rollout.share)


def is_candidate(served: Iterable[ServedVersion], version: ServedVersion) -> bool:
    """Whether the version is the candidate of a rollout of one of the labels; served: what the labels serve."""
    return any(row.rollout is not None and row.rollout.digest == version.digest for row in served)


def answer_side(label_version: ServedVersion, version: ServedVersion) -> Answer:
    """The response to a caller with a bucket. It must not be cached, as another bucket may get another one.

    label_version: what the label serves; version: that, or the candidate.
    """
    headers = {
        "ETag": f'"{version.number}.{version.digest}"',
        "Cache-Control": "no-store",
        "Vary": "Authorization",
        SIDE: "stable" if version is label_version else "candidate",
    }
    if label_version.approval:
        headers[APPROVAL] = label_version.approval.value
    return make_answer(200, version.answer.body, "application/json", headers)
