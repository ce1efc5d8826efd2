"""The demo's model server, which answers by rules: `python -m registry.starter.demo_model <port>`.

It speaks OpenAI's chat completions on loopback and answers from the prompt by rules, the same prompt always alike:

- a template that is to be improved comes back with a line more: "Answer in as few words as you can.",
- a judge's prompt, whose documents and reply come in sentences with keys, gets a judgement: a sentence of the reply is
  supported by the sentence of the documents that has most of its words, if that has half of them,
- instructions that list words to choose from ("one word: refund, exchange or refuse") get one of the words,
- instructions that speak of JSON get an object with the keys that they name,
- anything else gets the sentence of the prompt that shares most words with the question, quoted, and a note of what
  answered; without the note if the prompt asks for few words.

Where the prompt comes with tools and no reply of the assistant is in it yet, it asks for a call of the tool that shares
most words with the question as well. The question is the last message, or in a prompt of one message the line that
begins with "Question:".

A streamed reply comes at 20 tokens a second, as models write; a token is a word here. It loads no Django.
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["answer_prompt", "choose_call", "main", "make_server"]

TOKENS_A_SECOND = 20
_MAX_BODY_BYTES = 8 * 1024 * 1024
_NOTE = (
    "This is the demo model. It is no language model: it repeats the sentence that shares most words with the question."
)
_TEMPLATE = "The template to improve:\n"  # how the starter's template that asks for improvements hands it over
_FEW_WORDS = "Answer in as few words as you can."
_FEW = "as few words as you can"
_FRONT = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*\n", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^([ \t]*)content: \|[ \t]*\n([ \t]+)", re.MULTILINE)
_ASKED = re.compile(r"^Question: (.+)$", re.MULTILINE)
_CHOICE = re.compile(r"one word: ((?:[\w-]+, )*[\w-]+) or ([\w-]+)", re.IGNORECASE)
_KEY = re.compile(r'"([a-z][a-z0-9_]*)"\s*[:(]')
_OPTION = re.compile(r"^- ([^:\n]{1,40}):", re.MULTILINE)
_KEYED = re.compile(r"^(\d*)([a-z]+)\. (.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_WORD = re.compile(r"[^\W\d_]{3,}")


def answer_prompt(messages: list[dict[str, Any]]) -> str:
    """The reply to messages in OpenAI form; the same for the same messages."""
    texts = [_read_text(message.get("content")) for message in messages]
    if document := next((text.removeprefix(_TEMPLATE) for text in texts if text.startswith(_TEMPLATE)), ""):
        explanation = f"The demo model asks for few words. {_NOTE}"
        return json.dumps({"document": _improve(document), "explanation": explanation}, ensure_ascii=False)
    if any("sentence_support_information" in text for text in texts):
        return _judge("\n".join(texts))
    question, context = _split_question(texts)
    instructions = context or question
    if choice := _CHOICE.search(instructions):
        return _choose([*choice[1].split(", "), choice[2]], question)
    sentence = _find_sentence(context or question, question)
    if "JSON" in instructions and (keys := list(dict.fromkeys(_KEY.findall(instructions)))):
        options = _OPTION.findall(instructions)
        values = [_choose(options, question) if options and not place else sentence for place in range(len(keys))]
        return json.dumps(dict(zip(keys, values, strict=True)), ensure_ascii=False)
    if sentence and _FEW in instructions:
        return sentence
    return f"“{sentence}” {_NOTE}" if sentence else _NOTE


def choose_call(messages: list[dict[str, Any]], tools: Any) -> dict[str, str] | None:
    """The name and the arguments, as JSON, of the tool that is asked for; None if none is.

    Each value that the tool needs is the question, or what its kind allows.
    """
    functions = [tool["function"] for tool in tools or () if isinstance(tool, dict) and "function" in tool]
    if not functions or any(message.get("role") == "assistant" for message in messages):
        return None
    question, _ = _split_question([_read_text(message.get("content")) for message in messages])
    texts = [f"{function.get('name')} {function.get('description') or ''}" for function in functions]
    words = _split_words(question)
    function = functions[max(range(len(texts)), key=lambda place: len(words & _split_words(texts[place])))]
    schema = function.get("parameters") or {}
    fields = schema.get("properties") or {}
    values = {name: _make_value(fields.get(name) or {}, question) for name in schema.get("required") or ()}
    return {"name": str(function.get("name")), "arguments": json.dumps(values, ensure_ascii=False)}


def _make_value(field: dict[str, Any], question: str) -> Any:
    if field.get("enum"):
        return field["enum"][0]
    return {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}.get(field.get("type", ""), question)


def _split_words(text: str) -> set[str]:
    return set(map(str.lower, _WORD.findall(text)))


def _improve(document: str) -> str:
    """The template with the line first in its text: in the first part of a document in parts, else above its body."""
    if _FEW in document:
        return document
    head = match[0] if (match := _FRONT.match(document)) else ""
    body = document[len(head) :]
    if block := _BLOCK.search(body):
        return f"{head}{body[: block.start(2)]}{block[2]}{_FEW_WORDS}\n{body[block.start(2) :]}"
    return f"{head}{_FEW_WORDS}\n{body}"


def _judge(prompt: str) -> str:
    """A judgement by words in common, in the form that the starter's judge asks for."""
    keyed = _KEYED.findall(prompt)
    documents = {place + key: text for place, key, text in keyed if place}
    question = prompt.rpartition("\nQuestion:\n")[2].partition("\n")[0]
    support = []
    for place, key, text in keyed:
        if place:
            continue
        words = _split_words(text)
        best = max(documents, key=lambda name: len(words & _split_words(documents[name])), default="")
        is_carried = bool(words) and 2 * len(words & _split_words(documents.get(best, ""))) >= len(words)
        names = [best] if is_carried else []
        facts = {"explanation": "Words in common.", "supporting_sentence_keys": names, "fully_supported": is_carried}
        support.append({"response_sentence_key": key, **facts})
    used = sorted({name for sentence in support for name in sentence["supporting_sentence_keys"]})
    relevant = [name for name, text in documents.items() if _split_words(text) & _split_words(question)]
    judgement = {
        "answer": _find_sentence("\n".join(documents.values()), question),
        "relevance_explanation": f"Words in common with the question. {_NOTE}",
        "all_relevant_sentence_keys": relevant,
        "overall_supported_explanation": "Words in common.",
        "overall_supported": all(sentence["fully_supported"] for sentence in support),
        "sentence_support_information": support,
        "all_utilized_sentence_keys": used,
    }
    return json.dumps(judgement, ensure_ascii=False)


def _split_question(texts: list[str]) -> tuple[str, str]:
    """The question of a prompt, and the text that it is asked about."""
    if len(texts) == 1 and (match := _ASKED.search(texts[0])):
        return match[1], texts[0].replace(match[0], "")
    return (texts[-1], "\n".join(texts[:-1])) if texts else ("", "")


def _read_text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(item.get("text", "")) for item in content if isinstance(item, dict))
    return str(content or "")


def _choose(options: list[str], question: str) -> str:
    """The option that the question names, else one by its length: any rule does that always says the same."""
    mentioned = [option for option in options if option.lower() in question.lower()]
    return mentioned[0] if mentioned else options[len(question) % len(options)]


def _find_sentence(context: str, question: str) -> str:
    words = _split_words(question)
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(context) if _WORD.search(sentence)]
    return max(sentences, key=lambda sentence: len(words & _split_words(sentence)), default="")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer `/v1/chat/completions`."""
        size = int(self.headers.get("Content-Length") or 0)
        if not self.path.endswith("/chat/completions") or size > _MAX_BODY_BYTES:
            self._send_json(404, {"error": {"message": "The demo model answers /v1/chat/completions only."}})
            return
        try:
            body = json.loads(self.rfile.read(size))
            if not isinstance(body["messages"], list):
                raise TypeError("messages")
            messages = [message for message in body["messages"] if isinstance(message, dict)]
            tokens, is_cut = _write_tokens(messages, body)
            call = None if is_cut else choose_call(messages, body.get("tools"))
        except (ValueError, LookupError, TypeError, AttributeError):
            self._send_json(400, {"error": {"message": "The body isn't a chat completion."}})
            return
        prompt_tokens = sum(len(_read_text(message.get("content")).split()) for message in messages)
        counts = {"prompt_tokens": prompt_tokens, "completion_tokens": len(tokens)}
        usage = {**counts, "total_tokens": sum(counts.values())}
        reason = "length" if is_cut else "tool_calls" if call else "stop"
        calls = {"tool_calls": [{"index": 0, "id": "call-1", "type": "function", "function": call}]} if call else {}
        try:
            if body.get("stream"):
                self._stream(_stream_events(tokens, calls, reason, usage))
            else:
                choice = {"index": 0, "finish_reason": reason}
                message = {"role": "assistant", "content": "".join(tokens), **calls}
                self._send_json(200, {**_FACTS, "choices": [{**choice, "message": message}], "usage": usage})
        except OSError:
            pass  # the caller stopped the reply

    def _stream(self, events: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode())
            self.wfile.flush()
            time.sleep(1 / TOKENS_A_SECOND)  # as slow as a model writes
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _send_json(self, status: int, value: dict[str, Any]) -> None:
        content = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing, because prompts may be confidential."""


_FACTS = {"id": "demo", "object": "chat.completion", "created": 0, "model": "demo-local"}


def _write_tokens(messages: list[dict[str, Any]], body: dict[str, Any]) -> tuple[list[str], bool]:
    """The words of the reply with the blanks before them, and whether the longest reply that was asked for cut it."""
    tokens = re.findall(r"\s*\S+", answer_prompt(messages))
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    is_cut = isinstance(limit, int) and 0 < limit < len(tokens)
    return (tokens[:limit], True) if is_cut else (tokens, False)


def _stream_events(
    tokens: list[str], calls: dict[str, Any], reason: str, usage: dict[str, int]
) -> Iterator[dict[str, Any]]:
    facts = {**_FACTS, "object": "chat.completion.chunk"}
    for token in tokens:
        yield {**facts, "choices": [{"index": 0, "delta": {"content": token}, "finish_reason": None}]}
    if calls:
        yield {**facts, "choices": [{"index": 0, "delta": calls, "finish_reason": None}]}
    yield {**facts, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {**facts, "choices": [], "usage": usage}


def make_server(port: int) -> ThreadingHTTPServer:
    """The server, bound to loopback and not serving yet."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    server.daemon_threads = True
    return server


def main() -> None:
    """Serve at the port that the first argument names until the process is ended."""
    port = int(sys.argv[1])
    try:
        server = make_server(port)
    except OSError:  # taken since it was chosen
        sys.exit(f"Port {port} is in use by another process. Restart the demo, so that it chooses a free one.")
    server.serve_forever()


if __name__ == "__main__":
    main()
