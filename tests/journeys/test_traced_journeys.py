"""How many of our files a journey opens: a reader who follows one has to open them too."""

from dataclasses import dataclass

import pytest

from tests.journeys.traced_journeys import trace_journeys
from tests.support.trace import Calls


@dataclass(frozen=True)
class Ceiling:
    """Numbers of files: `now` is held, `wanted` is the aim of merging modules. Lower `now` when a merge allows it."""

    now: int
    wanted: int


CEILINGS = {
    "save": Ceiling(now=46, wanted=30),
    "save and answer": Ceiling(now=56, wanted=36),
    "publish": Ceiling(now=47, wanted=22),
    "change page": Ceiling(now=52, wanted=35),
    "warm fetch": Ceiling(now=8, wanted=8),
    "load and render": Ceiling(now=22, wanted=22),
}


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Calls]:
    return trace_journeys(tmp_path_factory.mktemp("traced"))


@pytest.mark.parametrize("journey", CEILINGS)
def test_a_journey_opens_few_files(traces, journey):
    files, ceiling = sorted(traces[journey]), CEILINGS[journey]
    assert files, "nothing was traced"
    listing = "\n".join(files)
    assert len(files) <= ceiling.now, f"{len(files)} files, {ceiling.now} allowed, {ceiling.wanted} wanted:\n{listing}"


def test_every_journey_has_a_ceiling(traces):
    assert traces.keys() == CEILINGS.keys()
