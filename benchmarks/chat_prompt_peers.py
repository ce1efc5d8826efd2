"""The same chat prompt in other libraries, for `benchmarks/render.py`."""

import importlib.util
import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.chat_prompt import BODY, PLAIN


class Peers:
    """The other libraries, each only if it is installed."""

    def __init__(self, core: Any) -> None:
        self.encode = lambda text: core.encode(text, add_special_tokens=False).ids
        self.folder = tempfile.TemporaryDirectory()
        logging.disable(logging.WARNING)

    def build_prompt_poet(self) -> Callable[..., Any] | None:
        """Return a function that renders the values with prompt-poet; None if it is not installed."""
        if importlib.util.find_spec("prompt_poet") is None:
            return None
        from prompt_poet import Prompt  # noqa: PLC0415 -- optional

        path = Path(self.folder.name) / "chat.yml.j2"
        path.write_text(BODY, encoding="utf-8")

        def make(values: dict[str, Any], **options: Any) -> Any:
            return Prompt(
                template_path=str(path), template_data=values, from_cache=True, encode_func=self.encode, **options
            )

        return make

    def build_haystack(self) -> Callable[[dict[str, Any]], Any] | None:
        """Return a function that renders the values with Haystack; None if it is not installed."""
        if importlib.util.find_spec("haystack") is None:
            return None
        from haystack.components.builders import PromptBuilder  # noqa: PLC0415 -- optional

        builder = PromptBuilder(template=PLAIN, required_variables="*")
        return lambda values: builder.run(**values)

    def build_langchain(self) -> Callable[[dict[str, Any]], Any] | None:
        """Return a function that renders the values with LangChain; None if it is not installed."""
        if importlib.util.find_spec("langchain_core") is None:
            return None
        from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder  # noqa: PLC0415 -- optional

        template = ChatPromptTemplate(
            [
                ("system", "You are {bot}. Be kind, brief and exact."),
                MessagesPlaceholder("turns"),
                ("user", "{question}"),
            ]
        )

        def render(values: dict[str, Any]) -> Any:
            turns = [(turn["role"], f"{turn['author']}: {turn['text']}") for turn in values["turns"]]
            return template.invoke({**values, "turns": turns})

        return render

    def build_hermes(self) -> Callable[[dict[str, Any], int], Any] | None:
        """Return a function that renders the values with Hermes up to a token limit; None if it doesn't run here."""
        if importlib.util.find_spec("hermes_cai") is None:
            return None
        try:
            # Its engine imports a tokenizer package that was never published. An encoder is passed in, so a stub works.
            chartok = type(sys)("chartok")
            chartok.heather = None  # type: ignore[attr-defined]  # imported, but unused if an encoder is passed
            sys.modules.setdefault("chartok", chartok)
            from hermes_cai.engine import build_structured_prefix  # noqa: PLC0415 -- optional
            from hermes_cai.structured_prefix import ChatContextMessage, StructuredPrefix  # noqa: PLC0415 -- optional
        except Exception as error:  # noqa: BLE001 -- it does not run from its package index alone
            print(f"hermes-cai is left out: {type(error).__name__}: {error}")
            return None

        def build(values: dict[str, Any], limit: int) -> Any:
            messages = [
                ChatContextMessage(
                    author=turn["author"],
                    text=turn["text"],
                    is_pinned=False,
                    type=0,
                    is_summary=False,
                    attachments_content="",
                )
                for turn in values["turns"]
            ]
            prefix = StructuredPrefix(
                character_definitions=[], chat_history=[], reply_prompt="Ada:", timestamp="2024 04 23 Tuesday 19 07",
                token_limit=limit, hermes_generation_template_name="production_raw.yml.j2",
                chat_context_messages=messages,
                raw_prompt_data_dict={
                    "character": {"participant__name": "Ada", "title": "a guide", "description": "kind",
                        "definition": ""},
                    "username": "Ann", "chat_type": "x", "persona_definition": "",
                },
            )  # fmt: skip
            return build_structured_prefix(
                logging.LoggerAdapter(logging.getLogger("hermes"), {}), prefix, close_last_message=True,
                truncation_step=1, encode_func=self.encode,
            )  # fmt: skip

        return build
