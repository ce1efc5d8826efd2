"""How many of our files a journey runs, which is how many a reader must open to follow it."""

import pytest

from tests.journeys.traced_journeys import trace_journeys
from tests.support.trace import ROOT, Calls

# Numbers of files. The journeys "and answer" go on with the reactions to the event and what follows the commit.
CEILINGS = {
    "save": 30,
    "save and answer": 44,
    "publish": 22,
    "publish and answer": 33,
    "change page": 35,
    "warm fetch": 8,
    "load and render": 22,
}


MAX_LINES = 300  # lines of a file on a journey, so that long files don't keep the number below a ceiling


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Calls]:
    return trace_journeys(tmp_path_factory.mktemp("traced"))


@pytest.mark.parametrize("journey", CEILINGS)
def test_a_journey_opens_few_files(traces, journey):
    files, ceiling = sorted(traces[journey]), CEILINGS[journey]
    assert files, "nothing was traced"
    listing = "\n".join(files)
    assert len(files) <= ceiling, f"{len(files)} files, {ceiling} allowed:\n{listing}"


@pytest.mark.parametrize("journey", CEILINGS)
def test_a_journey_opens_no_long_file(traces, journey):
    lengths = {file: len((ROOT / file).read_text().splitlines()) for file in traces[journey]}
    assert {file: length for file, length in lengths.items() if length > MAX_LINES} == {}


def test_every_journey_has_a_ceiling(traces):
    assert traces.keys() == CEILINGS.keys()
