"""What the change page says in advance about who may approve."""

import pytest
from django.urls import reverse

from registry.changes import decisions, rules, suggestions, threads
from registry.changes import merge as change_merge
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Namespace
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

BETTER = DOCUMENT.replace("Use only the policy.", "Use the policy and nothing else.")
SUGGESTION = "description: Answer a refund question well\n"


def save(desk, document, base, role="author"):
    digest = Version.objects.get(template__name=REPLY, number=base).digest
    options = {"name": REPLY, "document": document, "message": "", "base": digest, "parallel": True}
    return template_save.save_version(actor=desk.actor(role), **options).version


def suggest(desk, number, version, role="reviewer"):
    place = Place(version=version, line=2)
    threads.open_thread(actor=desk.actor(role), number=number, place=place, text="", suggestion=SUGGESTION)


def page(browser, role, number, **query):
    return read_html(browser(role).get(f"/changes/{number}", query))


def shows_the_fault(browser, role, number, sentence):
    """Check that the page shows the sentence, the button is disabled, and a POST is refused with the same sentence."""
    client = browser(role)
    answer = client.get(f"/changes/{number}")
    assert sentence in read_html(answer)
    assert 'value="approve"' not in answer.content.decode()
    digest = ChangeRequest.objects.get(number=number).version.digest
    refused = client.post(f"/changes/{number}", {"do": "approve", "digest": digest})
    assert refused.status_code == 403
    assert sentence in read_html(refused)


def test_a_rebased_version(reply, browser):
    save(reply, BETTER, 1, "reviewer")
    save(reply, BETTER + "\n", 3)
    number = reply.propose(4).number
    shows_the_fault(browser, "reviewer", number, "You wrote version 3, which this change contains.")
    assert 'value="approve"' in browser("admin").get(f"/changes/{number}").content.decode()


def test_a_merged_version(reply, browser):
    save(reply, DOCUMENT.replace("Answer a refund", "Answer any refund"), 1, "reviewer")
    reply.publish(2)
    number = reply.propose(3).number
    change_merge.merge_change(actor=reply.actor("author"), number=number)
    change_services.withdraw_change(actor=reply.actor("author"), number=number, reason="Not needed")
    again = reply.propose(4).number
    shows_the_fault(browser, "reviewer", again, "You wrote version 3, which this change contains.")


def test_an_applied_suggestion(reply, browser):
    number = reply.propose(2).number
    suggest(reply, number, 2)
    suggestions.apply_suggestions(actor=reply.actor("author"), number=number, comments=[(1, 1)])
    shows_the_fault(browser, "reviewer", number, "Your suggestion is in version 3, which this change contains.")


def test_the_issuer_of_a_key(reply, browser):
    key = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="CI", scope="write", person="author").key
    by_key = type(reply.actor("author"))(reply.people["author"], key)
    change_services.propose_change(actor=by_key, name=REPLY, label="production", version=2, message="")
    shows_the_fault(browser, "admin", 2, "You issued the key that this change was proposed with.")


def test_an_earlier_proposer_and_an_earlier_head(reply, browser):
    change_services.propose_change(actor=reply.actor("reviewer"), name=REPLY, label="production", version=2, message="")
    change_services.withdraw_change(actor=reply.actor("admin"), number=2, reason="Not needed")
    reply.propose(2)
    shows_the_fault(browser, "reviewer", 3, "You proposed this text in change 2.")
    change_services.withdraw_change(actor=reply.actor("author"), number=3, reason="Not needed")
    save(reply, BETTER, 1, "admin")
    reply.propose(3)
    save(reply, BETTER + "\n\n", 1)
    change_services.set_head(actor=reply.actor("author"), number=4, version=4)
    shows_the_fault(browser, "admin", 4, "You wrote version 3, which this change contains.")


def test_the_same_bytes_and_a_copy(reply, browser):
    save(reply, BETTER, 1, "reviewer")
    save(reply, OTHER, 1)
    save(reply, BETTER, 1)
    shows_the_fault(browser, "reviewer", reply.propose(5).number, "You wrote version 3, which this change contains.")
    template_save.save_version(
        actor=reply.actor("author"), name="support/copy", document=BETTER, message="", copied_from=f"{REPLY}@3"
    )
    made = change_services.propose_change(
        actor=reply.actor("author"), name="support/copy", label="production", version=1, message=""
    )
    shows_the_fault(browser, "reviewer", made.number, f"You wrote version 3 of {REPLY}, which this change contains.")


def test_an_account_that_a_contributor_raised(reply, browser):
    save(reply, BETTER, 1, "admin")
    number = reply.propose(3).number
    namespace_services.set_role(actor=reply.actor("admin"), namespace="support", username="reader", role="reviewer")
    shows_the_fault(browser, "reader", number, "You have the role reviewer in support from admin")


def test_with_nobody_left_everybody_reads_what_to_do(reply, browser):
    save(reply, BETTER, 1, "admin")
    save(reply, BETTER + "\n", 3, "reviewer")
    number = reply.propose(4).number
    advice = "Ask an admin to make another person a reviewer: nobody else may approve."
    assert advice in page(browser, "author", number)
    assert "Nobody else may approve" in page(browser, "reviewer", number)
    assert browser("author").get(f"/api/v1/changes/{number}").json()["blockers"][0]["action"] == advice


def test_before_the_only_reviewer_s_suggestion_is_applied_the_page_asks(reply, browser):
    save(reply, BETTER, 1, "admin")
    number = reply.propose(3).number
    suggest(reply, number, 3)
    warning = "Only reviewer may approve this change."
    assert warning in page(browser, "author", number, view="source")
    client = browser("author")
    act = {"do": "apply", "thread": "1", "comment": "1"}
    refused = client.post(f"/changes/{number}", act)
    assert refused.status_code == 409
    assert Version.objects.filter(template__name=REPLY).count() == 3
    assert client.post(f"/changes/{number}", {**act, "confirm": "yes"}).status_code == 302
    assert Version.objects.filter(template__name=REPLY).count() == 4


def test_with_another_reviewer_left_it_does_not_ask(reply, browser):
    number = reply.propose(2).number
    suggest(reply, number, 2)
    assert "may approve this change" not in page(browser, "author", number)


def test_an_approval_that_a_rule_allowed_is_named(reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", suggesters_may_approve=True)
    number = reply.propose(2).number
    suggest(reply, number, 2)
    suggestions.apply_suggestions(actor=reply.actor("author"), number=number, comments=[(1, 1)])
    digest = ChangeRequest.objects.get(number=number).version.digest
    decisions.decide_on_change(actor=reply.actor("reviewer"), number=number, decision="approve", digest=digest)
    told = "Counts by the rule suggesters_may_approve, though reviewer suggested lines of version 3"
    assert told in page(browser, "author", number)
    change_services.publish_change(actor=reply.actor("author"), number=number)
    assert told in page(browser, "author", number)


@pytest.mark.parametrize("on", [True, False])
def test_the_rule_is_set_on_the_page_of_rules(reply, browser, on):
    fields = {"approvals": "1", "compatibility": "none", "protected_labels": "production"}
    fields |= {"suggesters_may_approve": "on"} if on else {}
    client = browser("admin")
    assert client.post(reverse("rules", args=["support"]), fields).status_code == 302
    assert Namespace.objects.get(name="support").suggesters_may_approve is on
    assert "A person whose suggestion was applied may approve" in read_html(
        client.get(reverse("rules", args=["support"]))
    )
