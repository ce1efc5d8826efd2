"""Mail about a proposed change: title, reason and the effect on the prompt, as text and HTML."""

from datetime import timedelta

import pytest
from django.core import mail as outbox

from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.journal import log
from registry.namespaces import services as namespace_services
from registry.notifications import email as notification_email
from registry.notifications import following
from registry.notifications.models import Notification
from registry.notifications.proposal_diff import MAX_LINES
from registry.redaction import services as redaction_services
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from registry.templates import samples
from registry.templates import save as template_save
from registry.templates.models import Template

NAME = "support/reply"
REASON = "Kinder answers\nCustomers asked for <b>them</b>."


@pytest.fixture(autouse=True)
def _with_a_mail_server(settings, support, monkeypatch):
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)
    for person in User.objects.exclude(username="operator"):
        person.email = f"{person.username}@example.org"
        person.save()


@pytest.fixture
def live(author, reviewer, save, admin):
    """Version 1 is served by production, and there are two samples."""
    version = save()
    samples.save_samples(
        actor=author, name=NAME, samples={"first": {"question": "Why?"}, "second": {"question": "Why not?"}}
    )
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=1, message="")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
    change_services.publish_change(actor=author, number=change.number)
    Notification.objects.all().delete()
    return version


def _send(reader="reviewer"):
    """The mail to one person, as if the time for gathering were over."""
    Notification.objects.filter(mailed_at=None).update(created_at=log.now() - timedelta(minutes=1))
    outbox.outbox.clear()
    notification_email.send_pending_mail()
    (message,) = [message for message in outbox.outbox if message.to == [f"{reader}@example.org"]]
    return message


def _propose(author, version, message=REASON):
    return change_services.propose_change(
        actor=author, name=NAME, label="production", version=version.number, message=message
    )


def _save_document(author, document):
    base = Template.objects.get(name=NAME).latest.digest
    return template_save.save_version(actor=author, name=NAME, document=document, message="", base=base).version


def _html_of(message):
    ((html, kind),) = message.alternatives
    assert kind == "text/html"
    return html


def test_both_parts_have_title_reason_and_what_the_model_reads(author, live, save):
    _propose(author, save("kindly"))
    message = _send()
    heading = "What the model reads with the sample first: v2 against v1, which production serves:"
    assert f"Kinder answers\nCustomers asked for <b>them</b>.\n\n{heading}\n" in message.body
    assert "    -Answer: Why?\n    +Answer kindly: Why?\n" in message.body
    html = _html_of(message)
    assert "Kinder answers</h2>" in html
    assert "Customers asked for &lt;b&gt;them&lt;/b&gt;." in html
    assert '<span style="background: #dff3e0">+Answer kindly: Why?</span>' in html
    assert '<span style="background: #fbe3e1">-Answer: Why?</span>' in html


def test_the_reason_is_read_as_markdown_in_html_and_stays_as_written_in_text(author, live, save, settings):
    settings.BASE_URL = "https://prompts.example"
    reason = (
        "Kinder\n\n- **tone** of [the guide](/t/support/guide)\n- ![a picture](https://example.org/a.png)\n\n<b>x</b>"
    )
    _propose(author, save("kindly"), message=reason)
    message = _send()
    assert "- **tone** of [the guide](/t/support/guide)" in message.body
    html = _html_of(message)
    assert '<strong>tone</strong> of <a href="https://prompts.example/t/support/guide"' in html
    assert "<img" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html


def test_a_mail_about_a_decision_has_the_title_of_the_change(author, reviewer, live, save):
    version = save("kindly")
    change = _propose(author, version)
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
    message = _send("author")
    assert f"\nKinder answers\nhttp://127.0.0.1:8000/changes/{change.number}\n" in message.body
    assert "<b>Kinder answers</b>" in _html_of(message)
    assert "Customers asked" not in message.body


def test_the_title_of_a_change_goes_to_members_only(author, reviewer, admin, live, save):
    version = save("kindly")
    change = _propose(author, version)
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
    namespace_services.set_role(actor=admin, namespace="support", username="author", role=None)
    assert "Kinder answers" not in _send("author").body


def test_the_sample_shown_is_the_first_that_differs(author, live, document):
    text = document().replace("Answer:", "{% if question == 'Why not?' %}Because:{% else %}Answer:{% endif %}")
    _propose(author, _save_document(author, text))
    body = _send().body
    assert "with the sample second" in body
    assert "+Because: Why not?" in body


def test_a_change_without_a_reason_is_named_by_its_move(author, live, save):
    _propose(author, save("kindly"), message="")
    assert "Move production to v2\n" in _send().body


def test_without_samples_the_document_is_compared(author, save):
    _propose(author, save())
    body = _send().body
    assert "The document: v1, all new:" in body
    assert "    +    Answer: {{ question }}" in body


def test_where_nothing_renders_differently_the_document_is_compared(author, live, document):
    text = document().replace("inputs:", "description: Answers questions\ninputs:")
    _propose(author, _save_document(author, text))
    body = _send().body
    assert "The document: v2 against v1, which production serves:" in body
    assert "+description: Answers questions" in body


def test_texts_are_escaped_in_the_html(author, live, document):
    _propose(author, _save_document(author, document().replace("Answer:", "<script>alert(1)</script>")), "<img src=x>")
    html = _html_of(_send())
    assert "<script>" not in html
    assert "<img" not in html
    assert "+&lt;script&gt;alert(1)&lt;/script&gt; Why?" in html


def test_a_long_diff_is_cut_and_says_how_much_is_left(author, live, document):
    lines = "\n".join(f"    line {number}" for number in range(MAX_LINES + 50))
    _propose(author, _save_document(author, f"{document()}{lines}\n"))
    body = _send().body
    assert "more lines on the page of the change" in body
    assert f"line {MAX_LINES - 50}\n" in body
    assert f"line {MAX_LINES + 10}\n" not in body


def test_a_line_of_any_length_is_cut(author, live, document):
    _propose(author, _save_document(author, document().replace("Answer:", "long " * 1000)))
    assert max(len(line) for line in _send().body.splitlines()) < 600


def test_a_former_member_gets_mail_without_the_text(author, admin, live, save):
    _propose(author, save("kindly"))
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role=None)
    message = _send()
    assert "asks for your review" in message.body
    assert "kindly" not in message.body + _html_of(message)


def test_an_operator_keeps_texts_out_of_mail(author, live, save, settings):
    settings.MAIL_HAS_DIFFS = False
    _propose(author, save("kindly"))
    message = _send()
    assert "asks for your review" in message.body
    assert "kindly" not in message.body + _html_of(message)


def test_a_redacted_version_is_not_mailed(author, admin, live, save):
    version = _propose(author, save("kindly")).version
    redaction_services.redact_version(
        actor=admin, name=NAME, version=version.number, reason="A customer's name", force=True
    )
    assert "Answer kindly" not in _send().body


def test_a_follower_gets_the_diff_in_one_mail_for_each_change(author, reader, live, save):
    following.follow_template(actor=reader, name=NAME, topics=["proposed"])
    change = _propose(author, save("kindly"))
    change_services.set_head(actor=author, number=change.number, version=save("kinder").number)
    body = _send("reader").body
    assert body.count("What the model reads") == 1
    assert "+Answer kinder: Why?" in body
    assert "+Answer kindly" not in body


def test_a_release_is_one_item_with_what_each_template_changes(author, live, save):
    save("kindly")
    save("plain", name="support/other")
    proposals.propose_release(
        actor=author,
        namespace="support",
        label="production",
        title="Kinder answers",
        description="Customers asked for **them**.",
        selection=ReleaseSelection(versions={NAME: 2, "support/other": 1}),
    )
    message = _send()
    assert message.subject == "Your review is asked for: release 1, Kinder answers, 2 templates."
    assert message.body.count("/releases/1") == 1
    assert "/changes/" not in message.body
    assert message.body.count("> Customers asked for **them**.") == 1
    assert f"{NAME} v2 for production (change 3)\n" in message.body
    assert "support/other v1 for production (change 2)\n" in message.body
    assert "    +Answer kindly: Why?\n" in message.body
    assert _html_of(message).count("<strong>them</strong>") == 1


def test_of_a_release_of_one_template_its_change_is_reported(author, live, save):
    save("kindly")
    selection = ReleaseSelection(versions={NAME: 2})
    proposals.propose_release(
        actor=author, namespace="support", label="production", title="Kinder answers", selection=selection
    )
    assert f"asks for your review: {NAME} v2 for production (change 2)." in _send().subject


def test_mail_without_texts_names_the_release_only(author, live, save, settings):
    settings.MAIL_HAS_DIFFS = False
    save("kindly")
    save("plain", name="support/other")
    selection = ReleaseSelection(versions={NAME: 2, "support/other": 1})
    proposals.propose_release(
        actor=author,
        namespace="support",
        label="production",
        title="Kinder answers",
        description="A secret reason",
        selection=selection,
    )
    message = _send()
    assert "release 1" in message.subject
    assert "A secret reason" not in message.body
    assert "kindly" not in message.body
