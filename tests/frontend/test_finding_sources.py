"""The patterns of findings as they are found in a module."""

import pytest

from frontend.locale.finding_sources import find_patterns


@pytest.mark.parametrize(
    ("code", "patterns"),
    [
        ('raise E(f"there is no input `{self.name}`")', ["there is no input `{name}`"]),
        ('E("write {{ a }} for a value")', ["write {{{{ a }}}} for a value"]),
        ("E(f\"{n} row{'s' if n > 1 else ''} left\")", ["{n} rows left", "{n} row left"]),
        ('E(f"{len(rows)} of {len(others)} fit")', ["{count} of {count_2} fit"]),
        ("E(f\"there are {', '.join(names)}\")", ["there are {names}"]),
        (
            'E("the tools differ" + (f"; gone: {name}" if name else ""))',
            ["the tools differ; gone: {name}", "the tools differ"],
        ),
        ("E(f\"{count(n, 'sample that fails')} in all\")", ["{count} in all", "sample that fails"]),
        ('{"a": lambda x: f"must be {x}"}', ["must be {x}"]),
        ('found[E(f"`{name}` is a list")] = None', ["`{name}` is a list"]),
        ('replace(problem, message=f"sample `{name}`: wrong")', ["sample `{name}`: wrong"]),
        ('"""A docstring of words."""', []),
        ('"two words".split()', []),
        ('text.replace("two words", "other words")', []),
        ('re.compile("two words")', []),
        ('name == "two words"', []),
        ('"word"', []),
    ],
)
def test_a_module_gives_its_patterns(tmp_path, code, patterns):
    path = tmp_path / "module.py"
    path.write_text(f"value = {code}\n" if code.startswith(("{", '"two', '"word')) else f"{code}\n")
    assert find_patterns(path) == patterns
