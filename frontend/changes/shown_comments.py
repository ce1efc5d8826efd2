"""Comments as the page of a change shows them: threads, unsent remarks, annotations of lines, and the open form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from frontend.diff import text as diff_text
from frontend.web.wording import format_line_range
from registry.changes.thread_models import Comment, Remark, Thread
from registry.changes.thread_queries import CommentText

__all__ = [
    "CommentView",
    "Discussion",
    "LineAnnotations",
    "OpenCommentForm",
    "RemarkView",
    "Spots",
    "SuggestionPreview",
    "ThreadView",
]


@dataclass(frozen=True)
class SuggestionPreview:
    """The lines of the source that a suggestion on rendered lines changes, before and after, or why there are none.

    `difference_digest` is a digest of the difference. The form posts it back to prove that the reader saw this one.
    """

    where: str = ""
    lines: Sequence[diff_text.Line] = ()
    difference_digest: str = ""
    refusal: str = ""


@dataclass(frozen=True)
class OpenCommentForm:
    """Lines selected for a comment, and what was typed about them so far (None: nothing yet)."""

    side: str
    part: int
    line: int
    end_line: int
    text: str = ""
    suggestion: str | None = None
    remark: int | None = None
    was: str = ""
    """The current lines, from which a suggestion starts."""
    preview: SuggestionPreview | None = None
    """The result of a suggestion on rendered lines in the source, if one was typed."""
    sample: str = ""
    """The sample whose prompt has the lines, empty for lines of the source."""

    @property
    def place(self) -> str:
        """The lines in the name under which a browser keeps what was typed."""
        return f"{self.side}:{self.sample[:60]}:{self.part}:{self.line}"

    @property
    def lines(self) -> str:
        """`line 12`, `lines 12 to 15`"""
        return format_line_range(self.line, self.end_line)


@dataclass(frozen=True)
class CommentView:
    """A comment; `lines` is its suggestion as a diff against the lines it would replace, None without a suggestion.

    `comment_text`: its current text. `is_own`: whether the reader wrote it, and may edit and delete it. `warning` says
    that no eligible approver would be left once it is applied, or is empty.
    """

    comment: Comment
    comment_text: CommentText
    lines: Sequence[diff_text.Line] | None
    may_apply: bool
    is_own: bool = False
    in_batch: bool = False
    warning: str = ""


@dataclass(frozen=True)
class RemarkView:
    """A remark that its author keeps for the review, with its place in words and the URL of its lines."""

    remark: Remark
    where: str
    lines: Sequence[diff_text.Line] | None
    url: str


@dataclass(frozen=True)
class ThreadView:
    """A thread with its place in words; `url` opens the view that shows it below its line."""

    thread: Thread
    comments: Sequence[CommentView]
    unsent: Sequence[RemarkView]
    where: str
    url: str
    is_outdated: bool
    is_resolved: bool


@dataclass
class LineAnnotations:
    """One line: the comments below it, and whether it is among the lines selected for a comment."""

    threads: list[ThreadView] = field(default_factory=list)
    unsent: list[RemarkView] = field(default_factory=list)
    form: bool = False
    selected: bool = False


Spots = dict[int, LineAnnotations]


@dataclass(frozen=True)
class Discussion:
    """Threads and remarks at the lines of the open view: by line of the source, by part and line of the prompt.

    `elsewhere` are threads of another view or sample, `outdated` those whose lines no longer exist. The links are URLs
    to append a part and a line to, empty if the user may not comment. `batch` are the suggestions selected to be
    applied together.
    """

    source: Spots
    rendered: Mapping[int, Spots]
    elsewhere: Sequence[ThreadView]
    outdated: Sequence[ThreadView]
    unsent: Sequence[RemarkView]
    batch: Sequence[tuple[ThreadView, CommentView]]
    source_link: str
    rendered_link: str
    back: str
    count: int
    open_form: OpenCommentForm | None
    may_comment: bool
    batch_warning: str = ""
