"""Queries of labels: their versions and their earlier moves."""

from registry.templates import label_queries, search_queries
from registry.templates import labels as writing
from registry.templates import queries as template_queries


def test_labels_keep_their_versions(author, reader, save):
    save("one"), save("two")
    writing.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    template = template_queries.get_template(reader, "support/reply")
    assert {name: label.version.number for name, label in label_queries.list_labels(template).items()} == {"staging": 1}
    assert label_queries.read_label_numbers(template) == {"staging": 1, "latest": 2}


def test_the_history_of_a_label_is_listed_newest_first(author, reader, save):
    save("one"), save("two")
    writing.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    writing.move_label(actor=author, name="support/reply", label="staging", version=2, expected=1)
    writing.move_label(actor=author, name="support/reply", label="canary", version=2, expected=None)
    page = label_queries.list_label_moves(reader, "support/reply", "staging", limit=1)
    assert [(move.before.number, move.after.number, move.person.username) for move in page.items] == [(1, 2, "author")]
    next_page = label_queries.list_label_moves(reader, "support/reply", "staging", cursor=page.next)
    assert [(move.before, move.after.number) for move in next_page.items] == [(None, 1)]
    assert len(label_queries.list_label_moves(reader, "support/reply").items) == 3


def test_many_templates_cost_one_query(reader, save, django_assert_num_queries):
    for number in range(4):
        save("x", name=f"support/t{number}")
    found = search_queries.search_templates(reader).items
    with django_assert_num_queries(1):
        assert [numbers["latest"] for numbers in label_queries.map_label_numbers(found).values()] == [
            1,
            1,
            1,
            1,
        ]
