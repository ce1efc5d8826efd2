"""Reads prompts of other systems: turns a file's bytes and name into documents.

The format is detected from the content; the suffix decides only if the content fits several formats. These are pure
functions: nothing is run, opened or fetched, so they can read untrusted files, in a bounded child process.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from promptuary.renderer.interop import (
    banks,
    chat_markup,
    chat_messages,
    chatml,
    dify,
    dotprompt,
    dspy_program,
    flowise,
    gemini,
    github_models,
    guidance,
    haystack,
    haystack_pipeline,
    javascript_code,
    labelled_turns,
    langchain,
    langfuse,
    lm_eval,
    mlflow,
    modelfile,
    own_document,
    plain_text,
    prompt_collection,
    prompt_table,
    promptfoo,
    promptlayer,
    prompty,
    python_code,
    python_source,
    semantic_kernel,
)
from promptuary.renderer.interop.archives import is_zip, read_zip
from promptuary.renderer.interop.file_results import FileResult, name_apart
from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError, SecretError
from promptuary.renderer.interop.source_file import SourceFile, read_source_file
from promptuary.renderer.interop.template_text import LANGUAGES
from promptuary.renderer.validation.secrets import find_secrets

__all__ = [
    "FORMATS",
    "READABLE_SUFFIXES",
    "FileResult",
    "SourceFormat",
    "detect_format",
    "has_readable_suffix",
    "read_files",
    "read_templates",
]

READABLE_SUFFIXES = (
    *(".txt", ".md", ".markdown", ".json", ".jsonl", ".yaml", ".yml", ".prompt", ".prompty", ".py", ".j2", ".jinja"),
    *(".jinja2", ".tmpl", ".hbs", ".handlebars", ".mustache", ".njk", ".erb", ".eex", ".liquid", ".modelfile"),
    *(".csv", ".tsv", ".toml", ".js", ".mjs", ".ts", ".tsx"),
)
_PROMPT_IN_CODE = re.compile(r"^[ \t]*\w*prompt\w*[ \t]*=[ \t]*[fF](?:\"{3}|'{3})", re.MULTILINE)
_BESIDE = ("config.json",)
_SAMPLES = (".samples.yml", ".samples.yaml")


@dataclass(frozen=True)
class SourceFormat:
    """A format that can be read: its name, a short description, and a check whether a file looks like it."""

    name: str
    title: str
    recognises: Callable[[SourceFile], bool]
    read: Callable[[SourceFile], list[ImportedTemplate]]


def _match_value(recognises: Callable[[object], bool]) -> Callable[[SourceFile], bool]:
    return lambda source: source.suffix not in _TEXT_SUFFIXES and recognises(source.value)


def _match_text(recognises: Callable[[str], bool]) -> Callable[[SourceFile], bool]:
    return lambda source: recognises(source.text)


def _adapt_reader(
    read: Callable[[object, str], Iterator[ImportedTemplate]],
) -> Callable[[SourceFile], list[ImportedTemplate]]:
    return lambda source: list(read(source.read_value(), source.stem))


_TEXT_SUFFIXES = (
    ".md",
    ".markdown",
    ".py",
    ".prompty",
    ".j2",
    ".jinja",
    ".jinja2",
    ".tmpl",
    ".hbs",
    ".handlebars",
)


def _is_langfuse(value: object) -> bool:
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(map(langfuse.is_langfuse_prompt, listed))


def _is_python(source: SourceFile) -> bool:
    if source.suffix in (".py", ".pyi"):
        return True
    if source.suffix == ".toml":
        return False
    if python_source.makes_prompts(source.text):
        return True
    if source.suffix in (".txt", ".md", ".markdown"):  # a prompt may quote code of another kind
        return _PROMPT_IN_CODE.search(source.text) is not None
    return python_source.is_python_source(source.text)


def _read_python(source: SourceFile) -> list[ImportedTemplate]:
    try:
        return python_code.read_python_code(source)
    except LossError:
        if not python_source.is_python_source(source.text):
            raise
    return list(python_source.read_python_prompt(source.text, source.stem))


def _is_kernel_prompt(source: SourceFile) -> bool:
    if source.suffix == ".py":
        return False
    is_value = source.suffix not in _TEXT_SUFFIXES and semantic_kernel.is_kernel_prompt(source.value)
    return is_value or semantic_kernel.looks_like_kernel_text(source.text)


def _is_chat_messages(source: SourceFile) -> bool:
    return source.suffix not in _TEXT_SUFFIXES and chat_messages.holds_chat_messages(source)


def _is_plain_text(source: SourceFile) -> bool:
    return source.suffix not in (".json", ".jsonl", ".yaml", ".yml", ".toml", ".py")


FORMATS: tuple[SourceFormat, ...] = (
    SourceFormat(prompty.KIND, "Prompty", lambda s: s.suffix == ".prompty" or prompty.is_prompty_file(s.text),
                 lambda s: list(prompty.read_prompty_file(s.text, s.stem))),
    SourceFormat(dotprompt.KIND, "Dotprompt (Genkit)", dotprompt.is_dotprompt, dotprompt.read_dotprompt),
    SourceFormat(banks.KIND, "banks", _match_text(banks.is_banks_prompt), banks.read_banks_prompt),
    SourceFormat(chatml.KIND, "ChatML", _match_text(chatml.is_chatml), chatml.read_chatml),
    SourceFormat(chat_markup.KIND, "Llama, Mistral, Gemma, Phi", _match_text(chat_markup.is_chat_markup),
                 chat_markup.read_chat_markup),
    SourceFormat(guidance.KIND, "guidance", _match_text(guidance.is_guidance), guidance.read_guidance),
    SourceFormat(python_code.KIND, "Python code", _is_python, _read_python),
    SourceFormat(javascript_code.KIND, "JavaScript, TypeScript", javascript_code.is_javascript,
                 javascript_code.read_javascript),
    SourceFormat(modelfile.KIND, "Ollama Modelfile", modelfile.is_modelfile, modelfile.read_modelfile),
    SourceFormat(langchain.KIND, "LangChain, LangSmith", _match_value(langchain.is_langchain_prompt),
                 langchain.read_langchain_prompt),
    SourceFormat(promptlayer.KIND, "PromptLayer", _match_value(promptlayer.is_promptlayer_prompt),
                 promptlayer.read_promptlayer_prompt),
    SourceFormat(langfuse.KIND, "Langfuse", _match_value(_is_langfuse), _adapt_reader(langfuse.read_langfuse_prompts)),
    SourceFormat(mlflow.KIND, "MLflow", _match_value(mlflow.is_mlflow_prompt),
                 _adapt_reader(mlflow.read_mlflow_prompts)),
    SourceFormat(haystack_pipeline.KIND, "Haystack 2", _match_value(haystack_pipeline.is_haystack_pipeline),
                 haystack_pipeline.read_haystack_pipeline),
    SourceFormat(haystack.KIND, "Haystack 1", _match_value(haystack.is_haystack_prompt),
                 _adapt_reader(haystack.read_haystack_prompts)),
    SourceFormat(dify.KIND, "Dify", _match_value(dify.is_dify_app), dify.read_dify_app),
    SourceFormat(flowise.KIND, "Flowise", _match_value(flowise.is_flowise_flow), flowise.read_flowise_flow),
    SourceFormat(promptfoo.KIND, "promptfoo", _match_value(promptfoo.is_promptfoo_config),
                 promptfoo.read_promptfoo_config),
    SourceFormat(lm_eval.KIND, "lm-eval", _match_value(lm_eval.is_task), lm_eval.read_task),
    SourceFormat(semantic_kernel.KIND, "Semantic Kernel",
                 _is_kernel_prompt, semantic_kernel.read_kernel_prompt),
    SourceFormat(github_models.KIND, "GitHub Models", _match_value(github_models.is_github_prompt),
                 github_models.read_github_prompt),
    SourceFormat(gemini.KIND, "Gemini", _match_value(gemini.is_gemini_request), gemini.read_gemini_request),
    SourceFormat(chat_messages.KIND, "OpenAI, Anthropic", _is_chat_messages,
                 chat_messages.read_chat_messages),
    SourceFormat(dspy_program.KIND, "DSPy", _match_value(dspy_program.is_dspy_program), dspy_program.read_dspy_program),
    SourceFormat(own_document.KIND, "prompt-poet, Promptuary", own_document.is_own_document,
                 own_document.read_own_document),
    SourceFormat(prompt_collection.KIND, "YAML or JSON of prompts",
                 lambda s: s.suffix not in _TEXT_SUFFIXES and prompt_collection.is_prompt_collection(s),
                 prompt_collection.read_prompt_collection),
    SourceFormat(prompt_table.KIND, "CSV of prompts", prompt_table.is_prompt_table, prompt_table.read_prompt_table),
    SourceFormat(labelled_turns.KIND, "turns after USER: and ASSISTANT:", lambda _: False,
                 labelled_turns.read_labelled_turns),
    SourceFormat(plain_text.KIND, "plain text, Markdown", _is_plain_text, plain_text.read_plain_text),
)  # fmt: skip
"""The formats in the order in which they are tried."""
_BY_NAME = {entry.name: entry for entry in FORMATS}
_FORMATS_OF_TEXT = frozenset(
    kind.KIND
    for kind in (prompty, dotprompt, banks, chatml, chat_markup, guidance, own_document, labelled_turns, plain_text)
)
"""Formats whose line ends belong to the prompt; in the others, line ends are escaped inside a string."""


def has_readable_suffix(name: str) -> bool:
    """Whether a file of a folder may contain prompts, by its name; samples belong to their document."""
    lower = name.lower()
    is_modelfile = lower.rpartition("/")[2] in ("modelfile",)
    return (is_modelfile or lower.endswith((*READABLE_SUFFIXES, ".zip"))) and not lower.endswith(_SAMPLES)


def detect_format(source: SourceFile) -> SourceFormat | None:
    """Return the first format that a file looks like, or None."""
    return next((entry for entry in FORMATS if entry.recognises(source)), None)


def read_templates(path: str, content: bytes, source_format: str = "") -> list[ImportedTemplate]:
    """Read the templates of one file's bytes.

    `source_format` is the name of one of FORMATS, one of template_text.LANGUAGES for a plain text in it, or empty to
    detect it. Raises LossError, with the line if there is one.
    """
    source = read_source_file(path, content)
    if not source.text.strip():
        raise LossError("it is empty")
    if source_format in LANGUAGES and source_format not in _BY_NAME:
        return _name_line_ends(source, plain_text.read_plain_text(source, source_format))
    if source_format and source_format not in _BY_NAME:
        raise LossError(f"there is no format {source_format}; there are {', '.join(_BY_NAME)}")
    chosen = _BY_NAME[source_format] if source_format else detect_format(source)
    if chosen is None:
        source.read_value()  # raises for invalid JSON or YAML
        raise LossError("the format can't be told from its content; choose one")
    templates = chosen.read(source)
    return _name_line_ends(source, templates) if chosen.name in _FORMATS_OF_TEXT else templates


def _name_line_ends(source: SourceFile, templates: list[ImportedTemplate]) -> list[ImportedTemplate]:
    """Add a difference if the file had other line ends than line feeds."""
    if not source.had_other_line_ends:
        return templates
    difference = Difference("its line ends become line feeds, which documents have")
    return [replace(template, differences=(difference, *template.differences)) for template in templates]


def read_files(files: Mapping[str, bytes], source_format: str = "") -> list[FileResult]:
    """Read the templates of several files, such as those of a folder; a zip archive is replaced by its files.

    Files without a prompt's suffix are skipped. A Semantic Kernel folder is one template.
    """
    unpacked: dict[str, bytes] = {}
    results = []
    for path, content in files.items():
        if not is_zip(content):
            unpacked[path] = content
            continue
        try:
            unpacked |= dict(read_zip(content))
        except LossError as error:
            results.append(FileResult(path, refusal=error.message))
    for path, content in unpacked.items():
        name = path.rpartition("/")[2]
        is_single = len(unpacked) == 1
        if name in _BESIDE and f"{path.removesuffix(name)}skprompt.txt" in unpacked:
            continue
        if not is_single and not has_readable_suffix(name):
            continue
        results.append(_read_one(path, content, unpacked, source_format))
    return name_apart(results)


def _read_one(path: str, content: bytes, files: Mapping[str, bytes], source_format: str) -> FileResult:
    try:
        folder, _, name = path.rpartition("/")
        if name == "skprompt.txt" and not source_format:
            prefix = f"{folder}/" if folder else ""
            configuration = files.get(f"{prefix}config.json", b"").decode("utf-8-sig", "replace")
            called = SourceFile(f"{folder.rpartition('/')[2] or 'prompt'}.txt", read_source_file(path, content).text)
            return FileResult(path, tuple(semantic_kernel.read_kernel_prompt(called, configuration)))
        return FileResult(path, tuple(read_templates(path, content, source_format)))
    except LossError as error:
        text = content.decode("utf-8", "replace")
        holds_secret = isinstance(error, SecretError) or any(secret.sure for secret in find_secrets(text))
        return FileResult(path, refusal=error.message, line=error.line, holds_secret=holds_secret)
