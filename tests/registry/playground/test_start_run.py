"""Starting a run: every column rendered and stored, or each invalid field reported and nothing stored."""

import json

import pytest

from registry.connections import services as connection_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound, TooMany
from registry.evaluations import attachments, datasets
from registry.namespaces import keys
from registry.playground import queries, services
from registry.playground.models import PlaygroundRun
from registry.playground.serializers import describe_choices, describe_run
from tests.registry.playground.conftest import DRAFT, INPUTS
from tests.support.spending import spend_one_dollar

DRAFT_COLUMN = {"source": "draft", "document": DRAFT, "model": "echo"}


def refusal(start, *columns, **options):
    with pytest.raises(Invalid) as caught:
        start(*columns, **options)
    assert not PlaygroundRun.objects.exists()
    return caught.value.fields


def test_a_column_holds_the_prompt_that_the_api_renders(save, start, connect):
    save()
    connect()
    version = {"source": "1", "model": "small", "settings": {"temperature": 0.9, "max_tokens": 20}}
    run = start({**DRAFT_COLUMN, "model": "small"}, version)
    draft, saved = describe_run(run)["columns"]
    assert draft["prompt"]["messages"] == [{"role": "user", "content": "Answer: May I return boots?"}]
    assert (draft["state"], draft["title"], draft["number"], draft["cost"]) == ("ready", "This draft", None, None)
    assert (saved["title"], saved["number"], saved["settings"]) == ("v1", 1, {"temperature": 0.9, "max_tokens": 20})
    assert draft["prompt"]["tokens"] > 0


def test_the_estimate_is_the_prompt_and_the_longest_reply(start, connect):
    connect(prompt_price="10", completion_price="1000")
    column = describe_run(start())["columns"][0]
    tokens = column["prompt"]["tokens"]
    assert column["estimate"] == {"amount": f"{(tokens * 10 + 50 * 1000) / 1e6:.6f}".rstrip("0"), "currency": "USD"}


def test_the_columns_settings_replace_the_documents(start, connect, column_of):
    connect()
    settings = {"temperature": 1, "top_p": 0.5, "seed": 7, "max_tokens": 9}
    run = start({"source": "draft", "document": DRAFT, "model": "small", "settings": settings})
    assert column_of(run).parsed_prompt["settings"] == settings


def test_a_longest_reply_goes_by_the_name_that_the_document_uses(start, connect, column_of):
    document = DRAFT.replace("max_tokens: 50", "max_completion_tokens: 50")
    connect()
    run = start({"source": "draft", "document": document, "model": "small", "settings": {"max_tokens": 9}})
    assert column_of(run).parsed_prompt["settings"] == {"temperature": 0.2, "max_completion_tokens": 9}


@pytest.mark.parametrize(
    ("protocol", "chosen", "named"),
    [
        ("anthropic", {"seed": 7, "temperature": 0.5}, "Anthropic messages, which does not take the setting seed:"),
        ("responses", {"seed": 7}, "OpenAI responses, which does not take the setting seed:"),
        ("openai", {"seed": 7}, None),
        ("anthropic", {"top_p": 0.5}, None),
    ],
)
def test_a_setting_that_the_protocol_does_not_take_is_named_before_the_call(start, connect, protocol, chosen, named):
    connect(protocol=protocol)
    columns = ({**DRAFT_COLUMN}, {**DRAFT_COLUMN, "model": "small", "settings": chosen})
    if named is None:
        start(*columns)
        return
    fields = refusal(start, *columns)
    assert list(fields) == ["columns.1.settings"]
    assert named in fields["columns.1.settings"]


def test_a_setting_of_the_document_is_named_too(start, connect):
    connect(protocol="anthropic")
    document = DRAFT.replace("max_tokens: 50", "max_tokens: 50, frequency_penalty: 1, seed: 3")
    fields = refusal(start, {"source": "draft", "document": document, "model": "small"})
    assert "the setting frequency_penalty, seed:" in fields["columns.0.settings"]


def test_a_template_that_was_never_saved_can_be_tried(start):
    run = start(DRAFT_COLUMN, name="support/new/one")
    assert run.name == "support/new/one"


def test_a_missing_input_is_named(start):
    assert list(refusal(start, DRAFT_COLUMN, inputs={})) == ["inputs.question"]


@pytest.mark.parametrize(
    ("column", "field"),
    [
        ({**DRAFT_COLUMN, "model": "unknown"}, "columns.0.model"),
        ({**DRAFT_COLUMN, "model": ""}, "columns.0.model"),
        ({**DRAFT_COLUMN, "source": "7"}, "columns.0.source"),
        ({**DRAFT_COLUMN, "source": "no such"}, "columns.0.source"),
        ({**DRAFT_COLUMN, "document": "- name: {{ x"}, "columns.0.document"),
        ({**DRAFT_COLUMN, "document": 3}, "columns.0.document"),
        ({**DRAFT_COLUMN, "settings": {"temperature": 3}}, "columns.0.settings.temperature"),
        ({**DRAFT_COLUMN, "settings": {"seed": 0.5}}, "columns.0.settings.seed"),
        ({**DRAFT_COLUMN, "settings": {"max_tokens": True}}, "columns.0.settings.max_tokens"),
        ({**DRAFT_COLUMN, "settings": {"stop": 1}}, "columns.0.settings.stop"),
        ({**DRAFT_COLUMN, "settings": [1]}, "columns.0.settings"),
        ("draft", "columns.0"),
    ],
)
def test_a_wrong_field_of_a_column_is_named(save, start, column, field):
    save()
    assert list(refusal(start, column)) == [field]


def test_all_faulty_columns_are_named_together(start):
    fields = refusal(start, {**DRAFT_COLUMN, "document": "{{"}, {**DRAFT_COLUMN, "source": "9"})
    assert set(fields) == {"columns.0.document", "columns.1.source"}


def test_a_prompt_that_does_not_fit_is_refused(start):
    document = DRAFT.replace("inputs:", "token_limit: 20\nreserve: 5\ninputs:")
    fields = refusal(start, {**DRAFT_COLUMN, "document": document}, inputs={"question": "why " * 200})
    assert list(fields) == ["columns.0.document"]


@pytest.mark.parametrize("columns", [[], [DRAFT_COLUMN] * 5])
def test_a_run_has_one_to_four_columns(author, columns):
    with pytest.raises(Invalid, match="from 1 to 4 columns"):
        services.start_playground_run(actor=author, name="support/reply", columns=columns, inputs=INPUTS)


def test_a_reached_cap_refuses_before_anything_is_rendered(start, connect, admin, author):
    connect()
    spend_one_dollar(author.person)
    connection_services.set_caps(actor=admin, namespace="support", person_day="1", namespace_month=None)
    with pytest.raises(TooMany, match="daily limit of author"):
        start()


def test_a_model_without_a_price_is_refused_under_a_cap(start, connect, admin):
    connect(prompt_price=None, completion_price=None)
    connection_services.set_caps(actor=admin, namespace="support", person_day="1", namespace_month=None)
    with pytest.raises(Conflict, match="has no price"):
        start()


def test_readers_outsiders_and_keys_may_not_try(save, start, reader, outsider, admin):
    save()
    with pytest.raises(NotAllowed, match="need the role author"):
        start(DRAFT_COLUMN, actor=reader)
    with pytest.raises(NotFound):
        start(DRAFT_COLUMN, actor=outsider)
    issued = keys.issue_key(actor=admin, namespace="support", name="k", scope="write", person="author")
    acting = type(admin)(issued.key.person, issued.key)
    with pytest.raises(NotAllowed, match="sign in as a person"):
        start(DRAFT_COLUMN, actor=acting)


def test_only_ones_own_runs_are_listed(save, start, author, reviewer):
    save()
    start(DRAFT_COLUMN, sample="first")
    start(DRAFT_COLUMN, actor=reviewer)
    runs = queries.list_own_runs(author, "support/reply").items
    assert [(run.sample, json.loads(run.inputs)) for run in runs] == [("first", INPUTS)]


def test_earlier_runs_come_in_pages(start, author):
    for _ in range(3):
        start(DRAFT_COLUMN, name="support/new")
    page = queries.list_own_runs(author, "support/new", limit=2)
    next_page = queries.list_own_runs(author, "support/new", page.next, limit=2)
    assert (len(page.items), len(next_page.items), next_page.next) == (2, 1, None)


def test_without_a_model_the_choices_say_who_connects_one(author):
    choices = describe_choices(queries.list_choices(author, "support/new"))
    assert (choices["can_run"], choices["can_connect"]) == (False, False)
    assert choices["why_not"].startswith("No model connected. Ask an admin of support: admin")


def test_the_choices_hold_models_sources_and_spending(save, publish, connect, admin):
    publish(save())
    save("two")
    connect()
    connection_services.set_caps(actor=admin, namespace="support", person_day="5", namespace_month=None)
    choices = describe_choices(queries.list_choices(admin, "support/reply"))
    assert [source["value"] for source in choices["sources"]] == ["draft", "production", "latest", "2", "1"]
    assert choices["models"][-1]["name"] == "echo"
    assert choices["models"][0]["price"] == {"prompt": "10", "completion": "10", "currency": "USD"}
    assert choices["spent"] == {"today": "0", "cap": "5", "currency": "USD"}
    assert (choices["can_run"], choices["can_connect"], choices["is_stored"]) == (True, True, True)


def test_the_dataset_that_measures_the_template_comes_first(author, admin):
    for name in ("answers", "questions"):
        datasets.save_dataset(actor=author, name=f"support/{name}", text='{"inputs": {"question": "Why?"}}\n')
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="replies",
        pattern="reply",
        dataset="support/questions",
        model="echo",
        gates=["squad_f1 >= 0.5"],
    )
    titles = {
        name: [(row["title"], row["fits"]) for row in describe_choices(queries.list_choices(author, name))["datasets"]]
        for name in ("support/reply", "support/new")
    }
    assert titles["support/reply"] == [("questions", True), ("answers", False)]
    assert titles["support/new"] == [("answers", False), ("questions", False)]
