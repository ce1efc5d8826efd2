"""Exporting versions and folders in every format."""

import io
import json
import zipfile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.core.errors import Invalid, NotFound
from registry.redaction import services as redaction
from registry.templates import exports
from registry.templates import samples as samples_service
from registry.templates import save as template_save

LOOP = "---\ninputs:\n  names: {type: array}\n---\n- name: a\n  content: '{% for n in names %}{{ n }}{% endfor %}'\n"


def _unzip(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_its_own_form_is_the_document(author, save):
    version = save()
    file = exports.export_version(actor=author, name="support/reply", ref="1", form="document")
    assert (file.file_name, file.text) == ("reply.yml.j2", version.document)


def test_another_form_names_what_it_leaves_out(author, save):
    save()
    file = exports.export_version(actor=author, name="support/reply", ref="1", form="langfuse")
    assert file.file_name == "reply.json"
    assert json.loads(file.text)["prompt"][0]["content"] == "Answer: {{question}}"
    assert file.losses == ("inputs (question)",)


def test_a_form_that_cannot_hold_it_says_why(author):
    template_save.save_version(actor=author, name="support/loop", document=LOOP, message="")
    files = exports.list_exports(actor=author, name="support/loop", ref="latest")
    assert [file.form for file in files] == list(exports.FORMS)
    refusals = {file.form: file.refusal for file in files}
    assert refusals["document"] == ""
    assert refusals["langfuse"] != ""
    assert refusals["haystack"].startswith("its format is parts")
    with pytest.raises(Invalid, match="This version can't be written as Haystack"):
        exports.export_version(actor=author, name="support/loop", ref="1", form="haystack")


def test_an_unknown_form_is_refused(author, save):
    save()
    for call in (
        lambda: exports.export_version(actor=author, name="support/reply", ref="1", form="word"),
        lambda: exports.export_folder(actor=author, folder="support", form="word"),
    ):
        with pytest.raises(Invalid, match="there is no form 'word'"):
            call()


def test_a_folder_is_a_zip_of_its_newest_versions_with_samples(author, save, document):
    save("one")
    save("two")
    template_save.save_version(
        actor=author, name="support/a/greet", document=document(), message="", samples={"short": {"question": "Why?"}}
    )
    assert _unzip(exports.export_folder(actor=author, folder="support", form="document")) == {
        "support/reply.yml.j2": document("two"),
        "support/a/greet.yml.j2": document(),
        "support/a/greet.samples.yml": 'short:\n  question: "Why?"\n',
    }
    inner = _unzip(exports.export_folder(actor=author, folder="support/a", form="document"))
    assert sorted(inner) == ["support/a/greet.samples.yml", "support/a/greet.yml.j2"]


def test_a_zip_holds_the_samples_that_were_saved_last(author, save):
    save()
    for value in ("Why?", "When?"):
        samples_service.save_samples(actor=author, name="support/reply", samples={"short": {"question": value}})
    files = _unzip(exports.export_folder(actor=author, folder="support", form="document"))
    assert files["support/reply.samples.yml"] == 'short:\n  question: "When?"\n'


def test_many_templates_cost_as_many_queries_as_one(author, document, django_assert_num_queries):
    def save_with_sample(name):
        samples = {"short": {"question": "Why?"}}
        template_save.save_version(actor=author, name=name, document=document(), message="", samples=samples)

    save_with_sample("support/first")
    with CaptureQueriesContext(connection) as queries_of_one:
        exports.export_folder(actor=author, folder="support", form="document")
    for number in range(3):
        save_with_sample(f"support/more{number}")
    with django_assert_num_queries(len(queries_of_one)):
        files = exports.export_folder(actor=author, folder="support", form="document")
    assert len(_unzip(files)) == 8


def test_left_out_templates_are_named_in_the_zip(author, admin, save):
    save()
    template_save.save_version(actor=author, name="support/loop", document=LOOP, message="")
    save("a secret", name="support/gone")
    redaction.redact_version(actor=admin, name="support/gone", version=1, reason="A name", force=True)
    files = _unzip(exports.export_folder(actor=author, folder="support", form="prompty"))
    assert sorted(files) == ["EXPORT.txt", "support/reply.prompty"]
    assert "support/loop: left out. " in files["EXPORT.txt"]
    assert "support/gone: left out. support/gone@1 was redacted" in files["EXPORT.txt"]


def test_strangers_export_nothing(outsider, reader, save):
    save()
    assert exports.export_folder(actor=reader, folder="support", form="document")
    with pytest.raises(NotFound):
        exports.export_folder(actor=outsider, folder="support", form="document")
    with pytest.raises(NotFound):
        exports.export_version(actor=outsider, name="support/reply", ref="1", form="document")


def test_an_empty_folder_is_not_found(author, save):
    save()
    with pytest.raises(NotFound, match="no template in support/none"):
        exports.export_folder(actor=author, folder="support/none", form="document")
