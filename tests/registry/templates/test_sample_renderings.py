"""Renderings of samples: each pair of digests is rendered once and stored."""

import pytest

from registry.templates import sample_renderings
from registry.templates.models import Rendering


@pytest.fixture
def version(save):
    return save("one")


def test_each_sample_is_rendered_and_kept(version):
    outcomes = sample_renderings.render_samples(version, {"b": {"question": "B"}, "a": {"question": "A"}})
    assert [outcome.prompt["messages"][0]["content"] for outcome in outcomes.values()] == [
        "Answer one: B",
        "Answer one: A",
    ]
    assert list(outcomes) == ["b", "a"]
    assert Rendering.objects.count() == 2


def test_nothing_is_rendered_twice(version, django_assert_num_queries):
    samples = {str(number): {"question": str(number)} for number in range(30)}
    first = sample_renderings.render_samples(version, samples)
    with django_assert_num_queries(1):
        again = sample_renderings.render_samples(version, samples)
    assert again == first


def test_a_sample_that_fails_is_kept_with_its_problem(version):
    for _ in range(2):
        outcomes = sample_renderings.render_samples(version, {"bad": {}, "good": {"question": "?"}})
        assert "question" in outcomes["bad"].problem.message
        assert outcomes["good"].problem is None


def test_equal_data_under_two_names_is_one_row(version):
    outcomes = sample_renderings.render_samples(version, {"a": {"question": "x"}, "b": {"question": "x"}})
    assert outcomes["a"] == outcomes["b"]
    assert Rendering.objects.count() == 1


def test_no_samples_take_no_work(version):
    assert sample_renderings.render_samples(version, {}) == {}
