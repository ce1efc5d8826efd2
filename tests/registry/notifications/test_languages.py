"""Notifications and mails are in the recipient's language, whoever causes them."""

from datetime import timedelta

import polib
import pytest
from django.core import mail as outbox
from django.core.mail import EmailMultiAlternatives
from django.utils import translation

from registry.accounts.models import User
from registry.changes import services as change_services
from registry.journal import log
from registry.notifications import email as notification_email
from registry.notifications.models import Notification

TEXTS = {
    "{name} asks for your review: {subject}.": "{name} bittet um Prüfung: {subject}.",
    "{sentence} (and {count} more)": "{sentence} (und {count} weitere)",
    "Choose what you get mail about: {choose}": "Worüber Mails kommen: {choose}",
}


@pytest.fixture(autouse=True)
def _with_german_texts(settings, tmp_path, monkeypatch):
    """The texts above in German, before those of the catalogue."""
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    catalogue.extend(polib.POEntry(msgid=text, msgstr=german) for text, german in TEXTS.items())
    catalogue.save_as_mofile(str(folder / "django.mo"))
    settings.LOCALE_PATHS = [tmp_path]
    settings.MAIL_IS_SENT = True
    monkeypatch.setattr(notification_email, "_not_before", 0.0)


@pytest.fixture
def readers(support):
    """The reviewer reads German, the admin chose no language."""
    for person in User.objects.exclude(username="operator"):
        person.email = f"{person.username}@example.org"
        person.language = "de" if person.username == "reviewer" else ""
        person.save()


def _propose(author, version):
    return change_services.propose_change(
        actor=author, name="support/reply", label="production", version=version.number, message="Please"
    )


def _mail_to(name):
    Notification.objects.filter(mailed_at=None).update(created_at=log.now() - timedelta(minutes=1))
    notification_email.send_pending_mail()
    return next(message for message in outbox.outbox if message.to == [f"{name}@example.org"])


def _html_of(message):
    assert isinstance(message, EmailMultiAlternatives)
    return message.alternatives[0][0]


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("language", ["en", "de"])
def test_each_notification_is_in_the_language_of_its_person(author, save, language):
    with translation.override(language):  # the proposer's language, which has no effect
        _propose(author, save())
    sentences = dict(Notification.objects.values_list("person__username", "sentence"))
    assert sentences["reviewer"].startswith("author bittet um Prüfung: support/reply v1")
    assert sentences["admin"].startswith("author asks for your review: support/reply v1")


@pytest.mark.usefixtures("readers")
def test_each_mail_is_in_the_language_of_who_gets_it(author, save):
    _propose(author, save())
    german = _mail_to("reviewer")
    assert german.subject.startswith("author bittet um Prüfung")
    assert "Worüber Mails kommen: http" in german.body
    assert '<html lang="de">' in _html_of(german)
    english = next(message for message in outbox.outbox if message.to == ["admin@example.org"])
    assert english.subject.startswith("author asks for your review")
    assert "Choose what you get mail about: http" in english.body
    assert '<html lang="en">' in _html_of(english)


@pytest.mark.usefixtures("readers")
def test_people_without_a_language_get_english(author, save):
    User.objects.update(language="")
    with translation.override("de"):
        _propose(author, save())
        assert _mail_to("reviewer").subject.startswith("author asks for your review")
