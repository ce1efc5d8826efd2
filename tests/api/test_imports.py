"""POST /api/v1/imports."""

import base64

import pytest

from promptuary import renderer
from registry.templates.models import Template
from tests.api.conftest import problem
from tests.renderer.interop.test_read_files import zipped

CHAT = '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "{question}"}]'


def read(caller, role="author", **body):
    return caller(role).post("imports", {"namespace": "support", **body})


def test_a_preview_shows_the_templates_and_stores_nothing(cast, caller):
    before = Template.objects.count()
    response = read(caller, files=[{"path": "ask.json", "text": CHAT}])
    assert response.status_code == 200
    ((template,),) = [file["templates"] for file in response.json()["files"]]
    assert (template["name"], template["state"], template["format"]) == ("support/ask", "new", "chat-messages")
    parts = renderer.load(template["document"]).render({"question": "Why?"}).parts
    assert [(part.role, part.content) for part in parts] == [("system", "Be kind."), ("user", "Why?")]
    assert Template.objects.count() == before


def test_differences_and_refusals_have_their_lines(caller):
    files = [{"path": "a.txt", "text": "Hi\n<<full name>>"}, {"path": "b.json", "text": '{\n"a": }'}]
    first, second = read(caller, files=files).json()["files"]
    difference = {"message": "`<<full name>>` is the input `full_name`", "line": 2}
    assert difference in first["templates"][0]["differences"]
    assert (second["templates"], second["line"]) == ([], 2)


def test_an_archive_comes_as_base64(caller):
    content = base64.b64encode(zipped({"a.txt": "Hi {name}", "b.txt": "Bye"})).decode()
    response = read(caller, files=[{"path": "all.zip", "base64": content}])
    assert [file["path"] for file in response.json()["files"]] == ["a.txt", "b.txt"]


def test_an_address_that_is_taken_is_shown(cast, caller):
    cast.save(name="support/ask")
    ((template,),) = [f["templates"] for f in read(caller, files=[{"path": "ask.txt", "text": "Hi"}]).json()["files"]]
    assert template["state"] == "exists"


@pytest.mark.parametrize(
    "files",
    [
        [],
        [{"path": "a.txt"}],
        [{"path": "a.txt", "text": "x", "base64": "eA=="}],
        [{"path": "a.txt", "base64": "?"}],
        [{"path": "a.txt", "text": "x"}, {"path": "a.txt", "text": "y"}],
    ],
)
def test_files_that_are_not_given_well_are_refused(caller, files):
    assert read(caller, files=files).status_code in (400, 422)


def test_readers_and_outsiders_may_not_import(caller):
    assert read(caller, "reader", files=[{"path": "a.txt", "text": "x"}]).status_code == 403
    problem(read(caller, "outsider", files=[{"path": "a.txt", "text": "x"}]), 404, "not-found")
