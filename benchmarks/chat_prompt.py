"""The chat prompt that `benchmarks/render.py` renders: its templates, and chats of any length."""

from pydoc_data.topics import topics
from typing import Any

BODY = """
- name: instructions
  role: system
  content: |
    You are {{ bot }}. Be kind, brief and exact.
{% for turn in turns %}
- name: turn {{ loop.index }}
  role: {{ turn.role }}
  truncation_priority: 5
  content: |
    {{ turn.author }}: {{ escape_special_characters(turn.text) }}
{% endfor %}
- name: question
  role: user
  content: |
    {{ question }}
"""
FRONT = """---
inputs:
  bot: {type: string}
  question: {type: string, maxLength: 4000, untrusted: true}
  turns:
    type: array
    items:
      type: object
      properties:
        role: {type: string, enum: [user, assistant]}
        author: {type: string}
        text: {type: string, untrusted: true}
      required: [role, author, text]
---
"""
PLAIN = (
    "You are {{ bot }}. Be kind, brief and exact.{% for turn in turns %}{{ turn.author }}: "
    "{{ turn.text }}{% endfor %}{{ question }}"
)
SYSTEM = "You are Ada. Be kind, brief and exact."
WORDS = " ".join(topics[name] for name in sorted(topics)).split()


def build_chat(size: int, salt: int) -> dict[str, Any]:
    """A chat of `size` turns of 40 words; a different salt produces texts that no cache contains."""
    turns = []
    for index in range(size):
        start = (index * 7919 + salt * 104_729) % (len(WORDS) - 40)
        words = [*WORDS[start : start + 39], f"{salt}-{index}"]
        text = " ".join(words) + ('\nShe said: "well"' if index % 7 == 0 else "")
        turns.append({"role": ("user", "assistant")[index % 2], "author": ("Ann", "Bo")[index % 2], "text": text})
    return {"bot": "Ada", "turns": turns, "question": f"What did we count, and when? ({salt})"}
