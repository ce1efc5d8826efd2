"""The files that the image is built from."""

from pathlib import Path

ROOT = Path(__file__).parent.parent


def read_patterns(name: str) -> set[str]:
    """The patterns of an ignore file, without the slashes around them and the `**/` that says any folder."""
    lines = (ROOT / name).read_text().splitlines()
    return {line.strip("/").removeprefix("**/") for line in lines if line.strip()}


def test_files_that_git_ignores_are_not_copied_into_the_image():
    assert read_patterns(".gitignore") - read_patterns(".dockerignore") == set()
