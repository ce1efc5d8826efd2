"""A chat endpoint on loopback that answers questions, in one word if told to, and proposes texts."""

import json
import re
import threading
from typing import Any

from tests.support.fake_model_server import ModelServer

__all__ = ["ImprovingModelServer", "propose"]

_QUESTION = re.compile(r"Question (\d+)")


def propose(document: str, explanation: str = "It asks for one word.", **more: Any) -> str:
    """A reply in the format that the shipped template requests."""
    return json.dumps({"document": document, "explanation": explanation, **more})


class ImprovingModelServer(ModelServer):
    """Answers `Question 3?` with `answer 3` if the prompt says "one word", and otherwise with more words.

    proposals: the replies to prompts that request a better text, in order; the last one is repeated. A status code
    refuses the request, and None answers without a text. asked_prompts: the messages of those prompts. hold: set it to
    release a waiting reply; None answers immediately.
    """

    def __init__(self, *proposals: str | int | None, hold: threading.Event | None = None) -> None:
        super().__init__({})
        self.proposals, self.hold = list(proposals), hold
        self.asked_prompts: list[list[dict[str, Any]]] = []
        self.is_asked = threading.Event()
        self.questions: list[str] = []

    def answer(self, messages: list[dict[str, Any]]) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers for one request."""
        text = "\n".join(message["content"] for message in messages)
        if "The template to improve:" in text:
            return self._propose(messages)
        number = _QUESTION.findall(text)[-1]
        self.questions.append(number)
        return _complete(f"answer {number}" if "one word" in text else f"That may be answer {number}, I believe.")

    def _propose(self, messages: list[dict[str, Any]]) -> tuple[int, bytes, dict[str, str]]:
        self.asked_prompts.append(messages)
        self.is_asked.set()
        if self.hold is not None:
            self.hold.wait(60)
        place = min(len(self.asked_prompts), len(self.proposals)) - 1
        reply = self.proposals[place]
        if isinstance(reply, int):
            return reply, b'{"error": "refused"}', {}
        return _complete(reply, completion_tokens=100)


def _complete(text: str | None, completion_tokens: int = 10) -> tuple[int, bytes, dict[str, str]]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": completion_tokens}
    return 200, json.dumps({"choices": [choice], "usage": usage}).encode(), {}
