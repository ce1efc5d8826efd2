"""What renamed templates lose of people's watches: a pattern that no longer matches, so that nobody is told."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from django.db.models import Q
from django.utils.translation import ngettext

from registry.namespaces.models import Membership, Namespace
from registry.notifications.models import Watch
from registry.notifications.queries import list_topics_at
from registry.templates.rename_losses import Loss, MovedPath

__all__ = ["find_rename_losses"]


def find_rename_losses(namespace: Namespace, paths: Sequence[MovedPath]) -> Iterator[tuple[str, Loss]]:
    """Yield a loss for each template about which somebody is told less, with the number of people, not their names:
    watches are personal. A watch on that one template moves with it.
    """
    by_person = _list_pattern_watches(namespace)
    for before, after in paths:
        losing = Counter(_is_told_less(watches, namespace, before, after) for watches in by_person)[True]
        if losing:
            sentence = ngettext(
                "{people} person who follows templates by folder or pattern will no longer be told about {name}.",
                "{people} people who follow templates by folder or pattern will no longer be told about {name}.",
                losing,
            )
            yield before, Loss(sentence, (("people", str(losing)),))


def _list_pattern_watches(namespace: Namespace) -> Collection[Sequence[Watch]]:
    """The watches of each active member who watches everything somewhere in the namespace by a pattern."""
    members = Membership.objects.filter(namespace=namespace, person__is_active=True).values("person")
    patterns = Watch.objects.filter(namespace=namespace, level=Watch.ALL, person__in=members).exclude(template="")
    watches: defaultdict[int, list[Watch]] = defaultdict(list)
    about = Q(namespace=namespace) | Q(namespace=None)
    for watch in Watch.objects.filter(about, person__in=patterns.values("person")).order_by("pk"):
        watches[watch.person_id].append(watch)
    return watches.values()


def _is_told_less(watches: Sequence[Watch], namespace: Namespace, before: str, after: str) -> bool:
    if any(watch.namespace_id is not None and watch.template == before for watch in watches):
        return False  # it moves with the template
    return bool(list_topics_at(watches, namespace, before) - list_topics_at(watches, namespace, after))
