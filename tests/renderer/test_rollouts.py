"""The rule that decides which callers get the candidate of a rollout."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.rollouts import WHOLE, is_on_candidate_side

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "rollout.json").read_text("utf-8"))

salts = st.text(alphabet="0123456789abcdef", min_size=1, max_size=32)
buckets = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100)
shares = st.integers(0, WHOLE)


@given(salts, buckets, shares, shares)
def test_a_bucket_never_goes_back_to_stable_while_the_share_grows(salt, bucket, one, other):
    smaller, larger = sorted((one, other))
    assert is_on_candidate_side(salt, bucket, larger) or not is_on_candidate_side(salt, bucket, smaller)


@given(salts, buckets)
def test_a_share_of_zero_selects_nobody_and_a_full_share_everybody(salt, bucket):
    assert not is_on_candidate_side(salt, bucket, 0)
    assert is_on_candidate_side(salt, bucket, WHOLE)


def test_a_share_comes_to_about_as_many_buckets():
    chosen = sum(is_on_candidate_side("a1b2", f"user-{number}", 2500) for number in range(20_000))
    assert 4800 < chosen < 5200


def test_another_salt_chooses_other_buckets():
    one, other = ({n for n in range(2000) if is_on_candidate_side(salt, str(n), 1000)} for salt in ("one", "other"))
    assert one - other
    assert other - one


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: f"{vector['bucket']}-{vector['place']}")
def test_each_vector_for_other_languages_holds(vector):
    salt, bucket, place = vector["salt"], vector["bucket"], vector["place"]
    assert not is_on_candidate_side(salt, bucket, place)
    assert is_on_candidate_side(salt, bucket, place + 1)
