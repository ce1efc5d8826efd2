"""Documents that the tests of the Langfuse API save: a chat, a text, and one that Langfuse cannot express."""

__all__ = ["CHAT", "LOOP", "TEXT"]

CHAT = """---
description: Answer
tags: [support]
settings: {temperature: 0.2}
inputs:
  customer: {type: string, enum: [a, b]}
  question: {type: string}
---
- name: rules
  role: system
  content: |
    Help {{ customer }}. Answer in JSON like {"a": 1}.
- name: question
  content: "{{ question }}"
"""
TEXT = "---\nformat: text\n---\nSay {{ word }} twice.\n"
LOOP = "{% for word in words %}\n- name: w\n  content: {{ word }}\n{% endfor %}\n"
