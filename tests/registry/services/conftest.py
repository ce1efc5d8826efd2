import pytest

from registry.changes import services as change_services


@pytest.fixture
def propose(author):
    """Propose a version for production as the author."""

    def run(version, actor=None, message="Please"):
        name = version.template.name
        return change_services.propose_change(
            actor=actor or author, name=name, label="production", version=version.number, message=message
        )

    return run


@pytest.fixture
def approve(reviewer):
    """Approve a request as the reviewer, on the digest it stands on."""

    def run(change, actor=None, digest=None):
        change.refresh_from_db()
        digest = digest or change.version.digest
        return change_services.decide_on_change(
            actor=actor or reviewer, number=change.number, decision="approve", digest=digest
        )

    return run


@pytest.fixture
def publish(author, propose, approve):
    """Bring a version to production the right way."""

    def run(version):
        change = propose(version)
        approve(change)
        return change_services.publish_change(actor=author, number=change.number)

    return run
