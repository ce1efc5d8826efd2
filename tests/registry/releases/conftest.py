"""Four templates of one namespace, and a release of them."""

import pytest

from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.journal.models import Event
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates.label_models import Label
from tests.support.recorded_rows import write_or_insert

# What makes `support` and its people.
FIRST_KINDS = ("namespace.created", "member.set")
FOUR = ("support/delivery/exchange", "support/policy", "support/refunds/reply", "support/refunds/summary")


@pytest.fixture
def open_release(author, save):
    """Save one version of each of these templates and propose them for production together; return the release."""

    def run(names=FOUR, actor: Actor | None = None, title="Refund window: 45 days", **more) -> Release:
        def write() -> dict[str, int]:
            return {name: save("one", name=name).number for name in names}

        # After actions beyond the common setup, a save may write different rows.
        is_first = not Event.objects.exclude(kind__in=FIRST_KINDS).exists()
        versions = write_or_insert(f"one version of {tuple(names)}", write) if is_first else write()
        return proposals.propose_release(
            actor=actor or author,
            namespace="support",
            label="production",
            title=title,
            selection=ReleaseSelection(versions=versions),
            **more,
        ).release

    return run


@pytest.fixture
def find_digests():
    """The digest that each open member of a release proposes, by change number."""

    def run(release, names=None) -> dict[int, str]:
        members = release.members.pending().select_related("version", "template")
        return {row.number: row.version.digest for row in members if names is None or row.template.name in names}

    return run


@pytest.fixture
def approve_all(reviewer, find_digests):
    """Approve every open member of a release, each on the digest it proposes."""

    def run(release, actor: Actor | None = None, names=None):
        digests = find_digests(release, names)
        return release_services.approve_release(actor=actor or reviewer, number=release.number, digests=digests)

    return run


@pytest.fixture
def publish_release(author, open_release, approve_all):
    """Bring one version of each of these templates to production by a release."""

    def run(names=FOUR) -> Release:
        release = open_release(names)
        approve_all(release)
        return release_services.publish_release(actor=author, number=release.number)

    return run


@pytest.fixture
def find_member():
    """The change request of a release for one template."""

    def run(release, name):
        return release.members.select_related("template", "version").get(template__name=name)

    return run


@pytest.fixture
def served():
    """Template name to the number that production serves."""

    def run():
        rows = Label.objects.filter(name="production").order_by("template__name")
        return dict(rows.values_list("template__name", "version__number"))

    return run


@pytest.fixture
def publish_alone(author):
    """Publish one change request by itself."""
    return lambda change: change_services.publish_change(actor=author, number=change.number)
