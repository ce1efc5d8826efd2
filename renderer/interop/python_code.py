"""Prompts in Python code: texts assigned to names, attributes and keys, templates that are made by a call, messages.

The code is read as a syntax tree and never run. Constants are in the language of the call that takes them
(`PromptTemplate`, `.format`, `jinja2.Template`), else in the one they look like.
"""

import ast
import re
from collections.abc import Iterator

from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.langchain import LANGUAGES
from promptuary.renderer.interop.pieces import History, Message, Piece
from promptuary.renderer.interop.placeholders import find_syntax
from promptuary.renderer.interop.python_texts import CodeText, CodeTexts, called_name
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, role_of
from promptuary.renderer.interop.template_text import find_language, read_template_text

__all__ = ["KIND", "FoundPrompt", "find_prompts", "read_python_code"]

KIND = "python"
_PROMPT_NAME = re.compile(
    r"prompt|template|tmpl|instruct|system|message|query|question|persona|preamble|suffix|prefix", re.IGNORECASE
)
_NO_PROMPT_NAME = re.compile(r"^__|regex|pattern|licen[cs]e|copyright|url$|_sql$|^usage$|warning|error", re.IGNORECASE)
_GENERIC = re.compile(
    r"_*(?:prompt|template|text|result|content|messages?|instructions?|system|user|value)s?_*", re.IGNORECASE
)
_SHORTEST_NAMED = 20  # characters of a text whose name says that it is a prompt
_SHORTEST = 80  # characters of any other
_TEXT_CALLS = ("Template", "PromptTmpl", "Prompt")
_BRACE_LANGUAGES = ("str.format", "single", "double", "none")
_PASSED_OVER = re.compile(r"warn|log|info|debug|error|exception|print|add_argument|Field|raise|echo|deprecated")
_CHAT_CALLS = ("ChatPromptTemplate", "from_messages")
_HISTORY_CALLS = ("MessagesPlaceholder",)


class FoundPrompt:
    """A prompt of the code: its name, its line, and a text or messages."""

    def __init__(self, name: str, line: int, content: CodeText | list["FoundMessage | str"]) -> None:
        self.name = name
        self.line = line
        self.content = content


FoundMessage = tuple[str, CodeText]
"""A role as the code writes it, and the text."""


def read_python_code(source: SourceFile) -> list[ImportedTemplate]:
    """A template a prompt. What cannot be read is named as a difference of the first one. Raises LossError."""
    prompts, names = find_prompts(source.text)
    if not prompts:
        raise LossError("the code assigns no text that looks like a prompt")
    imported: list[ImportedTemplate] = []
    refusals: list[Difference] = []
    for prompt, name in zip(prompts, _names(prompts, source.stem), strict=True):
        try:
            imported.append(_build(prompt, name, names))
        except LossError as error:
            refusals.append(Difference(f"`{prompt.name}` is left out: {error.message}", prompt.line))
    if not imported:
        raise LossError(refusals[0].message, refusals[0].line)
    first = imported[0]
    differences = (*refusals, *first.differences)
    return [
        ImportedTemplate(first.name, first.document, first.source_format, first.samples, differences),
        *imported[1:],
    ]


def find_prompts(text: str) -> tuple[list[FoundPrompt], InputNames]:
    """The prompts of a module's code, in order, and the inputs that its f-strings take. Raises LossError."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise LossError(f"it is no Python code: {error}", getattr(error, "lineno", None)) from None
    except (RecursionError, MemoryError):
        raise LossError("the code is nested too deeply") from None
    finder = _Finder(module)
    try:
        finder.read_body(module.body, "")
    except RecursionError:
        raise LossError("the code is nested too deeply") from None
    return finder.prompts, finder.texts.names


def _names(prompts: list[FoundPrompt], stem: str) -> list[str]:
    """A name a prompt: the file's for a single one of no telling name, else its own; no two alike."""
    if len(prompts) == 1:
        last = prompts[0].name.rpartition("/")[2]
        return [stem if _GENERIC.fullmatch(last) else last]
    names: list[str] = []
    for prompt in prompts:
        name = f"{stem}/{prompt.name}"
        number, slug = 2, re.sub(r"[^a-z0-9/]+", "-", name.lower())
        taken = {re.sub(r"[^a-z0-9/]+", "-", other.lower()) for other in names}
        base = name
        while slug in taken:
            name = f"{base}-{number}"
            slug, number = re.sub(r"[^a-z0-9/]+", "-", name.lower()), number + 1
        names.append(name)
    return names


def _build(prompt: FoundPrompt, name: str, names: InputNames) -> ImportedTemplate:
    builder = TemplateBuilder(KIND, name)
    if isinstance(prompt.content, CodeText):
        pieces = _pieces(builder, prompt.content, names)
        return builder.build_text(pieces)
    messages: list[Message | History] = []
    inputs = InputNames()
    for entry in prompt.content:
        if isinstance(entry, str):
            messages.append(History(inputs.input_name(entry)))
            builder.differ(f"the messages of `{entry}` come by a loop: mappings with `role` and `content`")
        else:
            messages.append(Message(role_of(entry[0]), _pieces(builder, entry[1], names)))
    return builder.build_parts(messages)


def _pieces(builder: TemplateBuilder, text: CodeText, names: InputNames) -> tuple[Piece, ...]:
    if text.template is None and text.is_filled_later:
        return _pieces_of_filled(builder, text, names)
    if text.template is None:
        expressions = {piece.expression for piece in text.pieces if hasattr(piece, "expression")}
        builder.add_differences(d for d in names.differences() if any(f"`{e}`" in d.message for e in expressions))
        return text.pieces
    plain = read_template_text(text.template, text.language, InputNames())
    builder.add_differences(plain.differences)
    return plain.pieces


def _pieces_of_filled(builder: TemplateBuilder, text: CodeText, names: InputNames) -> tuple[Piece, ...]:
    """An f-string outside of functions is filled once more where its text has placeholders of its own."""
    slots = [piece for piece in text.pieces if not isinstance(piece, str)]
    numbers = iter(range(len(slots)))
    template = "".join(p if isinstance(p, str) else f"\ue000{next(numbers)}\ue001" for p in text.pieces)
    plain = read_template_text(template, "", InputNames())
    builder.add_differences(plain.differences)
    builder.add_differences(names.differences())
    pieces: list[Piece] = []
    for piece in plain.pieces:
        if not isinstance(piece, str):
            pieces.append(piece)
            continue
        for number, part in enumerate(re.split("\ue000(\\d+)\ue001", piece)):
            pieces.append(slots[int(part)] if number % 2 else part)
    return tuple(pieces)


class _Finder:
    def __init__(self, module: ast.Module) -> None:
        self.texts = CodeTexts()
        self.prompts: list[FoundPrompt] = []
        self.functions = 0
        self.formatted = set(_formatted_names(module))
        self.string_templates = any(
            isinstance(node, ast.ImportFrom) and node.module == "string" for node in module.body
        )

    def read_body(self, body: list[ast.stmt], scope: str) -> None:
        """The statements of a module, class or function, and those inside of them."""
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    self._assign(target, statement.value, scope)
            elif isinstance(statement, ast.AnnAssign | ast.AugAssign) and statement.value is not None:
                self._assign(statement.target, statement.value, scope)
            elif isinstance(statement, ast.Return) and statement.value is not None:
                self._value(scope.rpartition("/")[2] or "prompt", statement.value, scope.rpartition("/")[0])
            elif isinstance(statement, ast.ClassDef):
                self._class(statement, scope)
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                outer = dict(self.texts.texts)
                self.functions += 1
                self.read_body(statement.body, _joined(scope, statement.name))
                self.functions -= 1
                self.texts.texts = outer
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                self._arguments(statement.value, scope)
            else:
                for inner in ("body", "orelse", "finalbody"):
                    self.read_body(getattr(statement, inner, None) or [], scope)

    def _class(self, node: ast.ClassDef, scope: str) -> None:
        is_signature = any(getattr(base, "attr", getattr(base, "id", "")) == "Signature" for base in node.bases)
        docstring = ast.get_docstring(node)
        if is_signature and docstring:
            self.prompts.append(
                FoundPrompt(_joined(scope, node.name), node.lineno, CodeText(docstring, language="none"))
            )
        outer = dict(self.texts.texts)
        self.read_body(node.body, _joined(scope, node.name))
        self.texts.texts = outer

    def _assign(self, target: ast.expr, value: ast.expr, scope: str) -> None:
        name = _target_name(target)
        if not name:
            return
        text = self.texts.read_text(value)
        if text is not None and isinstance(target, ast.Name):
            self.texts.texts[name] = text
        generic = _GENERIC.fullmatch(name) and scope
        self._value(
            scope.rpartition("/")[2] if generic else name, value, scope.rpartition("/")[0] if generic else scope
        )

    def _value(self, name: str, value: ast.expr, scope: str) -> None:
        """A prompt for a value that is one; for a list or mapping, one for each inside."""
        text = self.texts.read_text(value)
        qualified = _joined(scope, name)
        if text is not None:
            if text.template is None and not self.functions:
                text = CodeText(pieces=text.pieces, is_filled_later=True)
            if _is_prompt(name, text) and not isinstance(value, ast.Name):
                self._add(qualified, value.lineno, self._in_language(text, name))
            return
        messages = self._messages(value)
        if messages:
            self.prompts.append(FoundPrompt(qualified, value.lineno, messages))
        elif isinstance(value, ast.Dict | ast.List | ast.Tuple):
            self._container(name, value, scope)
        elif isinstance(value, ast.Call):
            self._called(qualified, value, scope)
        elif isinstance(value, ast.IfExp):
            for branch in (value.body, value.orelse):
                self._value(name, branch, scope)

    def _container(self, name: str, value: ast.Dict | ast.List | ast.Tuple, scope: str) -> None:
        if isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                label = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else name
                self._value(label, item, _joined(scope, name))
            return
        for number, item in enumerate(value.elts, start=1):
            self._value(f"{name}-{number}", item, scope)

    def _called(self, qualified: str, node: ast.Call, scope: str) -> None:
        text = self._template_of_call(node)
        if text is not None:
            if text.literal.strip():
                self._add(qualified, node.lineno, text)
            return
        self._arguments(node, scope, qualified.rpartition("/")[2])

    def _arguments(self, node: ast.Call, scope: str, name: str = "") -> None:
        """Texts among a call's arguments."""
        if _PASSED_OVER.search(called_name(node)):
            return
        for keyword in node.keywords:
            if keyword.arg and keyword.arg not in ("help", "description", "doc"):
                self._value(_joined(name, keyword.arg) if name else keyword.arg, keyword.value, scope)
        for argument in node.args:
            if isinstance(argument, ast.JoinedStr | ast.List | ast.Dict | ast.Call):
                self._value(name or called_name(node) or "prompt", argument, scope)

    def _template_of_call(self, node: ast.Call) -> CodeText | None:
        """The template of a call that makes one."""
        name = called_name(node)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "from_template" and isinstance(owner, ast.Name):
            name = owner.id
        if not name.endswith(_TEXT_CALLS):
            return None
        arguments = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        value = arguments.get("template") or arguments.get("prompt") or (node.args[0] if node.args else None)
        text = self.texts.read_text(value)
        if text is None or text.template is None:
            return None if text is None else CodeText(pieces=text.pieces, is_filled_later=True)
        written = arguments.get("template_format")
        if isinstance(written, ast.Constant) and written.value in LANGUAGES:
            return CodeText(text.template, language=LANGUAGES[str(written.value)])
        if name == "Template":
            return CodeText(text.template, language="dollar" if self.string_templates else "jinja")
        if name.endswith("PromptTemplate") and find_language(text.template) in _BRACE_LANGUAGES:
            return CodeText(
                text.template, language="single" if find_syntax(text.template) == "single" else "str.format"
            )
        return CodeText(text.template, language=text.language)

    def _messages(self, node: ast.expr) -> list[FoundMessage | str]:
        """The messages of a list, or of a call with one; empty where it is none."""
        if isinstance(node, ast.Call) and (
            called_name(node).endswith(_CHAT_CALLS) or called_name(node) == "from_messages"
        ):
            listed = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "messages")]
            return self._messages(listed[0]) if listed else []
        if not isinstance(node, ast.List | ast.Tuple) or not node.elts:
            return []
        messages = [self._message(item) for item in node.elts]
        return [message for message in messages if message is not None] if all(messages) else []

    def _message(self, node: ast.expr) -> FoundMessage | str | None:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            return self._message_of_pair(*node.elts)
        fields: dict[str, ast.expr] = {}
        if isinstance(node, ast.Dict):
            fields = {
                str(k.value): v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)
            }
        elif isinstance(node, ast.Call):
            fields = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            if called_name(node) in _HISTORY_CALLS:
                named = self.texts.read_text(fields.get("variable_name") or (node.args[0] if node.args else None))
                return named.literal if named else None
            if (by_class := self._message_of_class(node, fields)) is not None:
                return by_class
        text = self.texts.read_text(fields.get("content"))
        role = _role(self.texts.read_text(fields.get("role")), fields.get("role"))
        has_content = text is not None and bool(text.pieces or text.literal.strip())
        return (role, self._in_language(text, "")) if role and text is not None and has_content else None

    def _message_of_pair(self, first: ast.expr, second: ast.expr) -> FoundMessage | str | None:
        role, text = self.texts.read_text(first), self.texts.read_text(second)
        if role is None or text is None or not _is_role(role.literal):
            return None
        return text.literal.strip("{}") if role.literal == "placeholder" else (role.literal, text)

    def _message_of_class(self, node: ast.Call, fields: dict[str, ast.expr]) -> FoundMessage | None:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = owner.id if isinstance(owner, ast.Name) and called_name(node) == "from_template" else called_name(node)
        match = re.match(r"(System|Human|User|AI|Assistant)Message", name)
        if match is None:
            return None
        text = self.texts.read_text(
            fields.get("content") or fields.get("template") or (node.args[0] if node.args else None)
        )
        is_template = "Template" in name
        if text is None:
            return None
        language = text.language or ("" if is_template else "none")
        return match[1].lower(), CodeText(text.template, text.pieces, language)

    def _in_language(self, text: CodeText, name: str) -> CodeText:
        if text.template is not None and not text.language and name in self.formatted:
            return CodeText(text.template, language="str.format")
        return text

    def _add(self, qualified: str, line: int, text: CodeText) -> None:
        self.prompts.append(FoundPrompt(qualified, line, text))


def _formatted_names(module: ast.Module) -> Iterator[str]:
    """The names and attributes on which the module calls `format`."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            owner = node.func.value
            if isinstance(owner, ast.Name | ast.Attribute):
                yield owner.id if isinstance(owner, ast.Name) else owner.attr


def _is_prompt(name: str, text: CodeText) -> bool:
    literal = text.literal
    if _NO_PROMPT_NAME.search(name) or (len(literal.split()) < 4 and len(literal) < _SHORTEST):
        return False
    return len(literal) >= (_SHORTEST_NAMED if _PROMPT_NAME.search(name) else _SHORTEST)


def _is_role(text: str) -> bool:
    return text.lower() in ("system", "human", "user", "ai", "assistant", "developer", "placeholder", "tool")


def _role(text: CodeText | None, node: ast.expr | None) -> str:
    if text is not None:
        return text.literal if _is_role(text.literal) else ""
    return node.attr.lower() if isinstance(node, ast.Attribute) and _is_role(node.attr) else ""


def _target_name(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value)
    return ""


def _joined(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name
