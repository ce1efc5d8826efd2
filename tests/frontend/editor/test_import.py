"""Importing prompts in the browser: the results, and saving them as versions or drafts."""

import io
import json
import re
import zipfile
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from promptuary import renderer
from promptuary.renderer.document import parser
from registry.templates import drafts
from registry.templates.models import Draft, Template
from tests.frontend.conftest import read_html

PAGE = "/t/import"
CHATML = """<|im_start|>system
You answer refund questions for Harbour Outfitters.<|im_end|>
<|im_start|>user
Order {order_id}: {question}<|im_end|>
<|im_start|>assistant
"""


def upload(name, content):
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())


def show(client, **fields):
    return client.post(PAGE, {"namespace": "support", "do": "preview", **fields})


def send_back(client, answer, do="versions", **fields):
    """Press a button of the page as it was shown, with the rows that are ticked there."""
    page = answer.content.decode()
    payload = re.search(r'name="templates" value="([^"]*)"', page)
    paths = dict(re.findall(r'name="(path-\d+)" value="([^"]*)"', page))
    ticks = dict.fromkeys(re.findall(r'name="(keep-\d+)" (?:checked|value="on")', page), "on")
    sent = {"templates": unescape(payload[1]), **paths, **ticks, **fields}
    return client.post(PAGE, {"namespace": "support", "do": do, **sent}, follow=True)


def test_new_template_and_browse_lead_here(desk, browser):
    client = browser("author")
    assert f'href="{PAGE}"' in read_html(client.get("/new"))
    desk.save()
    assert f'href="{PAGE}?in=support"' in read_html(client.get("/t/support/"))
    page = read_html(client.get(f"{PAGE}?in=support/refunds"))
    assert "<title>Import prompts · Promptuary</title>" in page
    assert "<h1>New template</h1>" in page
    assert "<option selected>support</option>" in page
    assert 'value="refunds"' in page


def test_a_pasted_prompt_shows_what_it_becomes_and_stores_nothing(desk, browser):
    page = read_html(show(browser("author"), text=CHATML))
    assert "<b>Looks like ChatML:</b>" in page
    assert "<code>{order_id}</code> and 1 more are read as inputs." in page
    assert "{{ order_id }}" in page
    assert '<div class="message-head"><b>System</b>' in page
    assert ">order_id<span" in page
    assert "<|im_start|>" in unescape(page)
    assert "Import 1 template" in page
    assert not Template.objects.exists()
    assert not Draft.objects.exists()


def test_a_file_is_imported_as_version_1(desk, browser):
    client = browser("author")
    import_page = show(client, files=[upload("late reply.txt", CHATML)], folder="refunds/")
    answer = send_back(client, import_page, folder="refunds")
    assert answer.redirect_chain[-1][0] == "/t/support/refunds/late-reply"
    template = Template.objects.get(name="support/refunds/late-reply")
    assert template.latest.message == "Imported from late reply.txt"
    assert "role: system" in template.latest.document


def test_the_address_can_be_edited(desk, browser):
    client = browser("author")
    send_back(client, show(client, text=CHATML), **{"path-0": "late-reply"})
    assert Template.objects.get().name == "support/late-reply"


def test_drafts_open_in_the_editor(desk, browser):
    client = browser("author")
    answer = send_back(client, show(client, text=CHATML), do="drafts")
    assert answer.redirect_chain[-1][0] == "/t/support/pasted/-/edit"
    assert "Order {{ order_id }}" in read_html(answer)
    assert not Template.objects.exists()


def test_several_files_and_a_zip_come_in_together(desk, browser):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a/greet.txt", "Hi {{ name }}")
        archive.writestr("b/greet.txt", "Hello {{ name }}")
    client = browser("author")
    files = [upload("one.txt", CHATML), upload("one.txt", "Bye {{ name }}"), upload("all.zip", packed.getvalue())]
    import_page = show(client, files=files)
    assert "Each of the templates has an address of its own, below." in read_html(import_page)
    answer = send_back(client, import_page)
    assert "Imported 4 templates." in read_html(answer)
    names = Template.objects.order_by("name").values_list("name", flat=True)
    assert list(names) == ["support/a/greet", "support/b/greet", "support/one", "support/one-2"]


def test_the_files_of_a_folder_keep_their_folders_where_the_page_sends_them(desk, browser):
    client = browser("author")
    files = [upload("greet.txt", "Hi {{ name }}"), upload("greet.txt", "Hello {{ name }}")]
    send_back(client, show(client, files=files, paths='["a/greet.txt", "b/greet.txt"]'))
    names = Template.objects.order_by("name").values_list("name", flat=True)
    assert list(names) == ["support/a/greet", "support/b/greet"]


@pytest.mark.parametrize("paths", ["", "[", "7", '["a/other.txt", "b/greet.txt"]', '["a/greet.txt"]', "[1, 2]"])
def test_paths_that_are_not_those_of_the_files_are_passed_over(desk, browser, paths):
    files = [upload("greet.txt", "Hi {{ name }}"), upload("greet.txt", "Hello {{ name }}")]
    page = read_html(show(browser("author"), files=files, paths=paths))
    assert 'value="greet"' in page
    assert 'value="greet-2"' in page


def test_a_folder_of_more_than_a_hundred_files_is_read(desk, browser):
    files = [upload(f"{number}.txt", f"Hi {{{{ name }}}} {number}") for number in range(120)]
    assert "120 templates found" in read_html(show(browser("author"), files=files))


def test_the_switch_between_parts_and_source_stays_where_it_was_put(desk, browser):
    client = browser("author")
    parts = read_html(show(client, text=CHATML))
    assert 'name="shown_as" value="parts" checked' in parts
    source = read_html(show(client, text=CHATML, shown_as="source"))
    assert 'name="shown_as" value="source" checked' in source
    assert '<span class="syntax-key">' in source
    assert 'name="shown_as"' not in read_html(client.get(PAGE))


OWN = """---
inputs:
  tone: { enum: [warm, formal] }
  count: { type: integer }
  question: { type: string, untrusted: true }
---
- name: ask
  role: user
  content: "{{ tone }} {{ count }} {{ question }}"
"""


def test_the_kind_of_an_input_is_shown_in_words(desk, browser):
    page = read_html(show(browser("author"), text=OWN, source_format="prompt-poet"))
    said = dict(re.findall(r'name="kind-0-(\w+)".*? selected>([^<]*)</option>', page))
    assert said == {"tone": "Choice", "count": "Number", "question": "Text, from users"}


def test_an_unreadable_file_is_named_with_its_line(desk, browser):
    page = read_html(show(browser("author"), files=[upload("bad.json", '{\n"a": }'), upload("good.txt", CHATML)]))
    assert "<b>bad.json</b>, line 2:" in page
    assert "Import 1 template" in page


def test_the_format_can_be_chosen(desk, browser):
    page = read_html(show(browser("author"), text=CHATML, source_format="text"))
    assert "read as plain text" in page.lower()


def test_a_text_whose_tags_are_not_a_template_is_imported_as_it_is(desk, browser):
    client, text = browser("author"), "Use {% if you like %} and {{> header}} in text, {name}."
    refused = read_html(show(client, text=text))
    assert "Import as plain text" in refused
    assert "Import 1 template" not in refused
    assert 'value="read:none"' in refused
    import_page = show(client, text=text, do="read:none")
    assert "Import as plain text" not in read_html(import_page)
    assert "Imported 1 template." in read_html(send_back(client, import_page, text=text))
    (part,) = renderer.load(Template.objects.get(name="support/pasted").latest.document).render({}).parts
    assert part.content == text


def test_the_inputs_of_a_refused_text_stay_inputs(desk, browser):
    client, text = browser("author"), "{{> header}} Hi {{ name }}"
    refused = read_html(show(client, text=text))
    assert 'value="read:double"' in refused
    assert "Places such as {{ name }} become inputs." in refused
    send_back(client, show(client, text=text, do="read:double"), text=text)
    (part,) = renderer.load(Template.objects.get().latest.document).render({"name": "Ann"}).parts
    assert part.content == "{{> header}} Hi Ann"


def test_a_file_that_is_refused_names_the_choice(desk, browser):
    refused = read_html(show(browser("author"), files=[upload("a.hbs", "{{> header}}")]))
    assert "choose “plain text, braces and all” under “Read as”" in refused
    assert "Import as plain text" not in refused


def test_labelled_turns_are_offered_as_parts(desk, browser):
    client, text = browser("author"), "SYSTEM: Be kind.\nUSER: {question}\nASSISTANT:"
    import_page = read_html(show(client, text=text))
    assert "looks like plain text" in import_page.lower()
    assert "Turn into 2 parts" in import_page
    split = show(client, text=text, do="read:labelled-turns")
    assert "Read as turns after USER: and ASSISTANT:" in read_html(split)
    assert "Turn into" not in read_html(split)
    send_back(client, split, text=text)
    document = Template.objects.get(name="support/pasted").latest.document
    assert [part.role for part in renderer.load(document).render({"question": "Why?"}).parts] == ["system", "user"]


@pytest.mark.parametrize("fields", [{}, {"text": " \n"}])
def test_nothing_to_read_is_shown(desk, browser, fields):
    answer = show(browser("author"), **fields)
    assert answer.status_code == 422
    assert "Paste a prompt or choose a file first." in read_html(answer)


def test_too_much_is_refused(desk, browser):
    answer = show(browser("author"), files=[upload("big.txt", "x" * 2_000_001)])
    assert answer.status_code == 413
    assert "at most 2000000 are allowed" in read_html(answer)


def test_an_address_that_is_taken_is_not_ticked(desk, browser):
    desk.save(name="support/pasted")
    client = browser("author")
    import_page = show(client, text=CHATML)
    assert "exists" in read_html(import_page)
    assert 'name="keep-0" checked' not in import_page.content.decode()
    answer = send_back(client, import_page)
    assert answer.status_code == 422
    assert "Tick at least one template." in read_html(answer)
    refused = send_back(client, import_page, **{"keep-0": "on"})
    assert "There is a support/pasted already" in read_html(refused)
    as_draft = send_back(client, import_page, do="drafts", **{"keep-0": "on"})
    assert as_draft.redirect_chain[-1][0] == "/t/support/pasted/-/edit"
    assert Draft.objects.get().base.number == 1


def test_refused_templates_stay_and_the_others_are_imported(desk, browser):
    client = browser("author")
    import_page = show(client, files=[upload("one.txt", CHATML), upload("two.txt", CHATML)])
    answer = send_back(client, import_page, **{"path-0": "Not A Name"})
    page = read_html(answer)
    assert answer.status_code == 422
    assert 'Imported: <a href="/t/support/two">support/two</a>' in page
    assert 'value="Not A Name"' in page
    assert "Import 1 template" in page
    send_back(client, answer, **{"path-0": "a-name"})
    assert Template.objects.filter(name="support/a-name").exists()


def test_a_draft_is_not_written_over(desk, browser):
    drafts.save_draft(actor=desk.actor("author"), namespace="support", path="pasted", document="half")
    client = browser("author")
    answer = send_back(client, show(client, text=CHATML), do="drafts")
    assert answer.status_code == 409
    assert "You have a draft of support/pasted already" in read_html(answer)
    assert Draft.objects.get().document == "half"


@pytest.mark.parametrize("payload", ["{", "[]x", '{"a": 1}', "[1]", '[{"index": 0}]', json.dumps([{"index": "x"}])])
def test_another_payload_is_refused(desk, browser, payload):
    answer = browser("author").post(PAGE, {"namespace": "support", "do": "versions", "templates": payload})
    assert answer.status_code == 422
    assert not Template.objects.exists()


def test_a_namespace_of_others_is_refused(desk, browser):
    answer = show(browser("outsider"), text=CHATML)
    assert answer.status_code == 404
    assert browser("reader").get(PAGE).status_code == 403


def test_htmx_gets_what_it_becomes_alone(desk, browser):
    client = browser("author")
    headers = {"HX-Request": "true", "HX-Target": "becomes"}
    answer = client.post(PAGE, {"namespace": "support", "text": CHATML}, headers=headers)
    assert read_html(answer).startswith('<section id="becomes"')
    empty = client.post(PAGE, {"namespace": "support"}, headers=headers)
    assert (empty.status_code, "Paste a prompt or choose a file to see" in read_html(empty)) == (200, True)


def test_a_strip_says_what_the_text_looks_like(desk, browser):
    client = browser("author")
    page = read_html(show(client, text=CHATML))
    assert "<b>Looks like ChatML:</b> 2 messages, 2 inputs" in page
    assert 'for="kind-0-question">question<span' in page
    assert "Create draft from ChatML</button>" in page
    chosen = read_html(show(client, text=CHATML, source_format="text"))
    assert "<b>Read as plain text, Markdown:</b>" in chosen
    assert "The format is recognised by the text." in read_html(client.get(PAGE))


def test_a_text_in_a_template_language_is_named_after_it(desk, browser):
    client = browser("author")
    text = "{{#if vip}}Dear{{else}}Hello{{/if}} {{name}}"
    import_page = show(client, text=text, name="Greeting")
    assert "<b>Looks like Handlebars, Mustache:</b>" in read_html(import_page)
    assert "Create draft from Handlebars, Mustache</button>" in read_html(import_page)
    assert "<b>Looks like Jinja:</b>" in read_html(show(client, text="{% if vip %}Dear{% endif %} {{ name }}"))
    assert "<b>Looks like plain text, Markdown:</b>" in read_html(show(client, text="Dear {{ name }}"))
    send_back(client, import_page)
    assert Template.objects.get().latest.message == "First version"


def test_the_first_version_names_the_format_of_pasted_messages(desk, browser):
    client = browser("author")
    send_back(client, show(client, text=CHATML, name="Late"))
    assert Template.objects.get().latest.message == "First version, from ChatML"


def test_an_address_is_made_from_the_name(desk, browser):
    client = browser("author")
    named = show(client, text=CHATML, name="Späte Antwort", folder="refunds")
    assert 'value="refunds/spate-antwort"' in read_html(named)
    assert '<span class="dirname">support / refunds / </span><b>spate-antwort</b>' in read_html(named)
    assert "available" in read_html(named)
    send_back(client, named, folder="refunds", name="Späte Antwort")
    assert Template.objects.get().name == "support/refunds/spate-antwort"
    taken = read_html(show(client, text=CHATML, name="spate antwort", folder="refunds"))
    assert "There is a support/refunds/spate-antwort already." in taken


def test_a_name_goes_with_a_single_file_and_the_message_keeps_the_file_s_own(desk, browser):
    client = browser("author")
    send_back(client, show(client, files=[upload("export (3).txt", CHATML)], name="Late reply"))
    template = Template.objects.get()
    assert (template.name, template.latest.message) == ("support/late-reply", "Imported from export (3).txt")
    several = read_html(show(client, files=[upload("a.txt", CHATML), upload("b.txt", CHATML)], name="Late reply"))
    assert 'value="a"' in several
    assert 'value="b"' in several


def test_a_typed_name_wins_over_the_one_that_the_format_carries(desk, browser):
    langfuse = json.dumps({"name": "movie-critic", "type": "text", "prompt": "Rate {{movie}}.", "version": 1})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("films/critic.json", langfuse)
    client = browser("author")
    assert 'value="movie-critic"' in read_html(show(client, text=langfuse))
    for source in ({"text": langfuse}, {"files": [upload("all.zip", packed.getvalue())]}):
        named = read_html(show(client, name="Film critic", folder="reviews", **source))
        assert 'value="reviews/film-critic"' in named
        assert 'value="movie-critic"' not in named
    desk.save(name="support/film-critic")
    assert "There is a support/film-critic already." in read_html(show(client, text=langfuse, name="Film critic"))


def test_a_typed_name_alone_shows_its_address_and_is_not_an_error(desk, browser):
    headers = {"HX-Request": "true", "HX-Target": "becomes"}
    answer = browser("author").post(PAGE, {"namespace": "support", "name": "Late reply"}, headers=headers)
    page = read_html(answer)
    assert '<span class="dirname">support / </span><b>late-reply</b>' in page
    assert 'id="address" class="new-address" aria-live="polite" hx-swap-oob="true"' in page
    assert "problem-error" not in page


def test_examples_lead_to_the_page_of_new_templates_with_one_chosen(desk, browser):
    client = browser("author")
    page = read_html(client.get(f"{PAGE}?in=support"))
    assert "Or start from an example" in page
    assert 'href="/new?in=support&amp;start=sort"' in page
    assert re.search(r'value="sort"[^>]* checked', read_html(client.get("/new?in=support&start=sort")))
    assert client.get("/new?start=none").status_code == 200


def test_the_kind_of_an_input_is_chosen_before_the_template_is_made(desk, browser):
    client = browser("author")
    import_page = show(client, text=CHATML, **{"kind-0-question": "text.users", "kind-0-order_id": "number"})
    page = read_html(import_page)
    assert 'value="text.users" selected>Text, from users' in page
    assert 'value="number" selected>Number' in page
    send_back(client, import_page)
    inputs = parser.parse_document(Template.objects.get().latest.document).inputs
    assert inputs == {"order_id": {"type": "number"}, "question": {"type": "string", "untrusted": True}}


def test_a_kind_that_is_chosen_next_to_the_button_is_saved_with_it(desk, browser):
    client = browser("author")
    send_back(client, show(client, text=CHATML), **{"kind-0-order_id": "list"})
    inputs = parser.parse_document(Template.objects.get().latest.document).inputs
    assert inputs["order_id"] == {"type": "array", "items": {"type": "string"}}
    assert set(inputs) == {"order_id", "question"}


def test_an_unknown_kind_changes_nothing(desk, browser):
    client = browser("author")
    import_page = show(client, text=CHATML)
    send_back(
        client, import_page, do="drafts", **{"kind-0-order_id": "secret", "kind-0-none": "text", "path-0": "kept"}
    )
    send_back(client, import_page, do="drafts", **{"path-0": "same"})
    kept, same = Draft.objects.order_by("path")
    assert kept.document == same.document


def test_the_recognised_format_is_named_in_the_list(desk, browser):
    headers = {"HX-Request": "true", "HX-Target": "becomes"}
    client = browser("author")
    answer = client.post(PAGE, {"namespace": "support", "text": CHATML}, headers=headers)
    assert 'id="detected-format" value="" hx-swap-oob="true">ChatML (recognised)' in read_html(answer)
    assert 'id="detected-format" value="">What it looks like' in read_html(client.get(PAGE))


def test_a_possible_secret_is_named_before_the_import_and_after_a_refusal(desk, browser):
    client = browser("author")
    import_page = show(client, text="Call it with api_key = 9f8e7d6c5b4a39281706f5e4d3c2b1a0 now.", name="Call it")
    page = read_html(import_page)
    assert "Check for secrets before importing" in page
    assert '<span class="where">line 4</span> This looks like a secret;' in page
    desk.save(name="support/call-it")
    refused = read_html(send_back(client, import_page, **{"keep-0": "on"}))
    assert "There is a support/call-it already" in refused
    assert "Check for secrets before importing" in refused


def test_a_possible_secret_in_a_sample_is_named_with_its_path(desk, browser):
    config = {
        "prompts": ["Call {{endpoint}}"],
        "tests": [{"vars": {"endpoint": "password=9f8e7d6c5b4a39281706f5e4d3c2b1a0"}}],
    }
    page = read_html(show(browser("author"), files=[upload("promptfooconfig.json", json.dumps(config))]))
    assert "Check for secrets before importing" in page
    assert "<code>endpoint</code> looks like a secret" in page


def test_a_text_without_secrets_names_none(desk, browser):
    assert "Check for secrets" not in read_html(show(browser("author"), text=CHATML))


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: x\nmodel:\n  api: chat\n  configuration:\n    api_key: abcdef123\n---\nsystem:\nhi",
        '[{"role": "user", "content": "AKIA' + "ABCDEFGH12345678" + '"',
        "Use {% if you like %} and {{> header}} with AKIA" + "ABCDEFGH12345678",
    ],
)
def test_a_refused_text_with_a_sure_secret_is_not_offered_as_plain_text(desk, browser, text):
    page = read_html(show(browser("author"), text=text))
    assert "Remove it from the text before you import it in any format." in page
    assert "Import as plain text" not in page
    assert "plain text, braces and all” under" not in page


def test_line_ends_that_the_browser_changed_are_named(desk, browser):
    client = browser("author")
    assert "line feeds" not in read_html(show(client, text="Be kind.\r\nBe short.\r\n"))
    assert "line feeds" in read_html(show(client, text="Be kind.\r\nBe short.\r\n", line_ends="crlf"))
    assert "line feeds" in read_html(show(client, text=CHATML, line_ends="crlf"))
    in_json = json.dumps([{"role": "user", "content": "Be kind.\n"}], indent=1)
    assert "line feeds" not in read_html(show(client, text=in_json, line_ends="crlf"))


def test_an_edited_address_stays_until_the_name_changes(desk, browser):
    client = browser("author")
    made = {"address_of": "refunds/Late reply", "address_made": "refunds/late-reply"}
    typed = {"text": CHATML, "folder": "refunds", "name": "Late reply", **made, "path-0": "orders/late"}
    import_page = show(client, **typed)
    page = read_html(import_page)
    assert '<span class="dirname">support / orders / </span><b>late</b>' in page
    assert 'name="path-0" value="orders/late"' in page
    assert '<details class="import-edit" open>' in page
    send_back(client, import_page, folder="refunds", name="Late reply")
    assert Template.objects.get().name == "support/orders/late"
    renamed = read_html(show(client, **{**typed, "name": "Other reply"}))
    assert '<span class="dirname">support / refunds / </span><b>other-reply</b>' in renamed
    taken = read_html(show(client, **typed))
    assert "There is a support/orders/late already. Try orders/late-2." in taken
