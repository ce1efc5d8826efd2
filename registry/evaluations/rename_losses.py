"""What renamed templates lose of attached evaluations: patterns that no longer match, so that nothing is measured."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from registry.evaluations.models import Attachment
from registry.namespaces.models import Namespace
from registry.templates.rename_losses import Loss, MovedPath

__all__ = ["find_rename_losses"]


def find_rename_losses(namespace: Namespace, paths: Sequence[MovedPath]) -> Iterator[tuple[str, Loss]]:
    """Yield a loss for each evaluation that no longer measures a template."""
    attachments = list(Attachment.objects.filter(namespace=namespace).order_by("name"))
    for before, after in paths:
        for attachment in attachments:
            if attachment.fits(before) and not attachment.fits(after):
                sentence = gettext("Changes of {name} will no longer have to pass the evaluation {evaluation}.")
                if attachment.nightly:
                    sentence = gettext(
                        "Changes of {name} will no longer have to pass the evaluation {evaluation}, "
                        "which also measures every night what is live."
                    )
                yield before, Loss(sentence, (("evaluation", attachment.name),))
