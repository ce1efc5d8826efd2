"""Errors of copying a database. After any of them the target is unchanged."""

__all__ = ["CopyRefused", "DatabasesDiffer"]


class CopyRefused(Exception):
    """The copy can't be made; the message says why and what to do."""


class DatabasesDiffer(Exception):
    """Both databases were read and differ; `findings` has a sentence for each difference."""

    def __init__(self, findings: list[str]) -> None:
        super().__init__("\n".join(findings))
        self.findings = findings
