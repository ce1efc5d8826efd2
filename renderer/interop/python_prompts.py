"""Finding prompts in Python code: texts assigned to names, attributes and keys, templates made by a call, messages.

The code is parsed and never run. Constants are in the template language of the call that takes them (`PromptTemplate`,
`.format`, `jinja2.Template`), else in the one they look like.
"""

import ast
import re

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.langchain import LANGUAGES
from promptuary.renderer.interop.placeholder_syntax import find_syntax
from promptuary.renderer.interop.python_messages import FoundPrompt, find_messages
from promptuary.renderer.interop.python_requests import Conversations, find_request
from promptuary.renderer.interop.python_syntax import (
    find_call,
    find_formatted_names,
    join_scope,
    name_target,
    parse_module,
)
from promptuary.renderer.interop.python_texts import CodeText, CodeTexts, find_called_name
from promptuary.renderer.interop.template_text import find_language

__all__ = ["find_prompts", "has_generic_name"]

_PROMPT_NAME = re.compile(
    r"prompt|template|tmpl|instruct|system|message|query|question|persona|preamble|suffix|prefix", re.IGNORECASE
)
_NO_PROMPT_NAME = re.compile(r"^__|regex|pattern|licen[cs]e|copyright|url$|_sql$|^usage$|warning|error", re.IGNORECASE)
_GENERIC = re.compile(
    r"_*(?:prompt|template|text|result|content|messages?|instructions?|system|user|value)s?_*", re.IGNORECASE
)
_MIN_NAMED_LENGTH = 20  # characters of a text whose name suggests a prompt
_MIN_LENGTH = 80  # characters of any other
_TEXT_CALLS = ("Template", "PromptTmpl", "Prompt")
_BRACE_LANGUAGES = ("str.format", "single", "double", "none")
_PASSED_OVER = re.compile(r"warn|log|info|debug|error|exception|print|add_argument|Field|raise|echo|deprecated")


def find_prompts(text: str) -> tuple[list[FoundPrompt], InputNames]:
    """Return the prompts of a module's code, in order, and the inputs of its f-strings. Raises LossError."""
    module = parse_module(text)
    finder = _Finder(module)
    try:
        finder.read_body(module.body, "")
    except RecursionError:
        raise LossError("the code is nested too deeply") from None
    return finder.prompts, finder.texts.names


def has_generic_name(name: str) -> bool:
    """Whether a name only says that it is a prompt: `template`, `messages`."""
    return _GENERIC.fullmatch(name) is not None


class _Finder:
    def __init__(self, module: ast.Module) -> None:
        self.texts = CodeTexts()
        self.prompts: list[FoundPrompt] = []
        self.assigned: dict[str, list[FoundPrompt]] = {}
        self.functions = 0
        self.conversations = Conversations(self.texts)
        self.formatted = set(find_formatted_names(module))
        self.string_templates = any(
            isinstance(node, ast.ImportFrom) and node.module == "string" for node in module.body
        )

    def read_body(self, body: list[ast.stmt], scope: str) -> None:
        """Read the statements of a module, class or function, and nested ones."""
        for statement in body:
            if extended := self.conversations.extend(statement):
                self.prompts += [extended] if extended not in self.prompts else []
                continue
            self._visit_statement(statement, scope)
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.conversations.close_sent(statement)
            self._leave_out_used()

    def _visit_statement(self, statement: ast.stmt, scope: str) -> None:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, statement.value, scope)
        elif isinstance(statement, ast.AnnAssign | ast.AugAssign) and statement.value is not None:
            self._assign(statement.target, statement.value, scope)
        elif isinstance(statement, ast.Return) and statement.value is not None:
            self._add_value(scope.rpartition("/")[2] or "prompt", statement.value, scope.rpartition("/")[0])
        elif isinstance(statement, ast.ClassDef):
            self._visit_class(statement, scope)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            self._visit_function(statement, scope)
        elif isinstance(statement, ast.Expr):
            self._visit_expression(statement.value, scope)
        else:
            self._visit_block(statement, scope)

    def _visit_block(self, statement: ast.stmt, scope: str) -> None:
        """Read what `for`, `if`, `with` and `try` contain; a list is extended only where that happens once."""
        for item in getattr(statement, "items", ()):
            self._visit_expression(item.context_expr, scope)
        if isinstance(statement, ast.For | ast.AsyncFor):
            self._visit_expression(statement.iter, scope)
        outer = self.conversations.open
        if not isinstance(statement, ast.With | ast.AsyncWith | ast.Try):
            self.conversations.open = {}
        for inner in ("body", "orelse", "finalbody"):
            self.read_body(getattr(statement, inner, None) or [], scope)
        self.conversations.open = outer

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: str) -> None:
        outer, lists = dict(self.texts.texts), self.conversations.open
        self.conversations.open = {}
        self.functions += 1
        self.read_body(node.body, join_scope(scope, node.name))
        self.functions -= 1
        self.texts.texts, self.conversations.open = outer, lists

    def _visit_class(self, node: ast.ClassDef, scope: str) -> None:
        is_signature = any(getattr(base, "attr", getattr(base, "id", "")) == "Signature" for base in node.bases)
        docstring = ast.get_docstring(node)
        if is_signature and docstring:
            self.prompts.append(
                FoundPrompt(join_scope(scope, node.name), node.lineno, CodeText(docstring, language="none"))
            )
        outer = dict(self.texts.texts)
        self.read_body(node.body, join_scope(scope, node.name))
        self.texts.texts = outer

    def _assign(self, target: ast.expr, value: ast.expr, scope: str) -> None:
        name = name_target(target)
        if not name:
            return
        text = self.texts.read_text(value)
        if text is not None and isinstance(target, ast.Name):
            self.texts.texts[name] = text
        generic = has_generic_name(name) and scope
        before = len(self.prompts)
        self._add_value(
            scope.rpartition("/")[2] if generic else name, value, scope.rpartition("/")[0] if generic else scope
        )
        new = self.prompts[before:]
        self._leave_out_used()
        if isinstance(target, ast.Name):
            self.assigned[name] = new
            self.conversations.assign(name, FoundPrompt(join_scope(scope, name), value.lineno, []), value, new)
            if isinstance(value, ast.Call):
                self.texts.calls[name] = value

    def _leave_out_used(self) -> None:
        """Remove the prompts that were assigned to names of which another prompt consists."""
        while self.texts.used:
            used = self.assigned.pop(self.texts.used.pop(), [])
            self.prompts = [prompt for prompt in self.prompts if prompt not in used]

    def _visit_expression(self, node: ast.expr, scope: str) -> None:
        """A value that isn't assigned: a template, a chain that starts with one, or a call that takes texts."""
        node = find_call(node)
        if isinstance(node, ast.BinOp):
            self._add_chain("prompt", node, scope)
        elif isinstance(node, ast.Call) and not self._add_request(scope, node):
            call = node
            while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
                call = call.func.value
            if find_messages(call, self.texts) or self._read_template_call(call) is not None:
                self._add_value("prompt", call, scope)
            else:
                self._add_arguments(node, scope)

    def _add_value(self, name: str, value: ast.expr, scope: str) -> None:
        """Add a prompt if the value is one; for a list or mapping, one for each prompt inside."""
        text = self.texts.read_text(value)
        qualified = join_scope(scope, name)
        if text is not None:
            if text.template is None and not self.functions:
                text = CodeText(pieces=text.pieces, is_filled_later=True)
            if _is_prompt(name, text) and not isinstance(value, ast.Name):
                self._add(qualified, value.lineno, self._convert_language(text, name))
            return
        value = find_call(value)
        messages = find_messages(value, self.texts)
        if messages:
            self.prompts.append(FoundPrompt(qualified, value.lineno, messages))
        elif self._add_request(qualified, value):
            pass
        elif isinstance(value, ast.Dict | ast.List | ast.Tuple):
            self._add_container(name, value, scope)
        elif isinstance(value, ast.Call):
            self._visit_call(qualified, value, scope)
        elif isinstance(value, ast.BinOp):
            self._add_chain(name, value, scope)
        elif isinstance(value, ast.IfExp):
            self._add_value(name, value.body, scope)
            self._add_value(name, value.orelse, scope)

    def _add_request(self, qualified: str, node: ast.expr) -> bool:
        """Add the prompt of a call or mapping with messages. Whether it has some, or sends a list that was added."""
        if isinstance(node, ast.Call) and _PASSED_OVER.search(find_called_name(node)):
            return False
        if self.conversations.send(node):
            return True
        request = find_request(node, self.texts)
        if request is None:
            return False
        name = join_scope(qualified, "messages")
        self.prompts.append(FoundPrompt(name, node.lineno, request.messages, dict(request.settings)))
        return True

    def _add_chain(self, name: str, node: ast.BinOp, scope: str) -> None:
        """The prompts among the steps of `prompt | model | parser`."""
        for step in (node.left, node.right) if isinstance(node.op, ast.BitOr) else ():
            if isinstance(step, ast.Call | ast.BinOp):
                self._add_value(name, step, scope)

    def _add_container(self, name: str, value: ast.Dict | ast.List | ast.Tuple, scope: str) -> None:
        if isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                label = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else name
                self._add_value(label, item, join_scope(scope, name))
            return
        for number, item in enumerate(value.elts, start=1):
            self._add_value(f"{name}-{number}", item, scope)

    def _visit_call(self, qualified: str, node: ast.Call, scope: str) -> None:
        text = self._read_template_call(node)
        if text is not None:
            if text.literal.strip():
                self._add(qualified, node.lineno, text)
            return
        template_call = find_call(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if isinstance(template_call, ast.Call):  # PromptTemplate.from_template(…).partial(…)
            self._add_value(qualified.rpartition("/")[2], template_call, qualified.rpartition("/")[0])
        self._add_arguments(node, scope, qualified.rpartition("/")[2])

    def _add_arguments(self, node: ast.Call, scope: str, name: str = "") -> None:
        """The texts among a call's arguments."""
        if _PASSED_OVER.search(find_called_name(node)):
            return
        for keyword in node.keywords:
            if keyword.arg and keyword.arg not in ("help", "description", "doc"):
                self._add_value(join_scope(name, keyword.arg) if name else keyword.arg, keyword.value, scope)
        for argument in node.args:
            if isinstance(argument, ast.JoinedStr | ast.List | ast.Dict | ast.Call):
                self._add_value(name or find_called_name(node) or "prompt", argument, scope)

    def _read_template_call(self, node: ast.Call) -> CodeText | None:
        """The template of a call that makes one."""
        name = find_called_name(node)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "from_template" and isinstance(owner, ast.Name):
            name = owner.id
        if not name.endswith(_TEXT_CALLS):
            return None
        arguments = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        value = arguments.get("template") or arguments.get("prompt") or (node.args[0] if node.args else None)
        text = self.texts.use_text(value)
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

    def _convert_language(self, text: CodeText, name: str) -> CodeText:
        if text.template is not None and not text.language and name in self.formatted:
            return CodeText(text.template, language="str.format")
        return text

    def _add(self, qualified: str, line: int, text: CodeText) -> None:
        self.prompts.append(FoundPrompt(qualified, line, text))


def _is_prompt(name: str, text: CodeText) -> bool:
    literal = text.literal
    if _NO_PROMPT_NAME.search(name) or (len(literal.split()) < 4 and len(literal) < _MIN_LENGTH):
        return False
    return len(literal) >= (_MIN_NAMED_LENGTH if _PROMPT_NAME.search(name) else _MIN_LENGTH)
