"""The help texts of `promptuary`: whole sentences, and the same words for the same option."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from promptuary.commands.app import app

SHARED = ("--json", "--url", "--key", "--at", "--reviewer", "--step-hours")


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_each_of_its_parameters_is_explained_in_sentences(name):
    command = COMMANDS[name]
    texts = {name: command.help, **{parameter.name: parameter.help for parameter in command.params}}
    for owner, text in texts.items():
        assert text, owner
        assert text.strip()[0].isupper(), owner
        assert text.strip().endswith((".", ")")), owner
        assert len(text.split()) >= 3, owner


@pytest.mark.parametrize("name", COMMANDS)
def test_a_spelling_of_a_command_names_one_option(name):
    spellings = [spelling for parameter in COMMANDS[name].params for spelling in parameter.opts]
    assert sorted(spellings) == sorted(set(spellings))


def test_an_option_of_many_commands_has_one_text():
    texts = defaultdict(set)
    for command in COMMANDS.values():
        for parameter in command.params:
            for spelling in {*parameter.opts} & {*SHARED}:
                texts[spelling].add(parameter.help)
    assert {spelling: len(found) for spelling, found in texts.items()} == dict.fromkeys(SHARED, 1)
