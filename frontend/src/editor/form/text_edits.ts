// Edits of the document's text by the form mode.
import type { Content, Node, Part, Value } from "./outline.ts";

export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** A value quoted so that YAML parses it back to the same text. */
export function quoteYaml(text: string): string {
  if (/^[A-Za-z_](?:[\w .(){}/-]*[\w)}])?$/.test(text) && !/^(?:true|false|null|yes|no|on|off|~)$/i.test(text))
    return text;
  return JSON.stringify(text);
}

/** Replaces a content. A value on its key's line becomes a block, which can represent any text. */
export function writeContent(part: Part, content: Content, text: string): Change {
  const { from, to } = content;
  if (content.style === "body") return { from, to, insert: text };
  const indent = content.style === "block" ? content.indent : part.indent + 4;
  const margin = " ".repeat(indent);
  // White space at the edges of a content is stripped on parsing. If it were written, trailing blank lines would pile
  // up, and leading spaces would make YAML expect a deeper indent than that of the lines below.
  const lines = text
    .replace(/\n+$/, "")
    .replace(/^(\s*\n)?[ \t]+(?=\S)/, "$1")
    .split("\n");
  const isText = (line: string): boolean => line.trim() !== "";
  const [first, last] = [lines.findIndex(isText), lines.findLastIndex(isText)];
  // A line of spaces between two others is intended; outside them it would be stripped.
  const block = lines
    .map((line, index) => (isText(line) || (line && index > first && index < last) ? margin + line : ""))
    .join("\n");
  return { from, to, insert: content.style === "block" ? block : `|\n${block}` };
}

/** Sets a key of a part: replaces its value, or adds a line after the first. */
export function writeKey(text: string, part: Part, key: string, present: Value | null, value: string): Change {
  if (present) return { from: present.from, to: present.to, insert: value };
  const end = text.indexOf("\n", part.from);
  const at = end < 0 ? text.length : end;
  return { from: at, to: at, insert: `\n${" ".repeat(part.indent + 2)}${key}: ${value}` };
}

/** Moves the node at `from` to the place of the one at `to`, and shifts those between by one; text between two nodes
 * stays in place. null if nothing moves. */
export function moveNode(text: string, nodes: Node[], from: number, to: number): Change | null {
  const [first, last] = [Math.min(from, to), Math.max(from, to)];
  const moved = nodes.slice(first, last + 1);
  const [start, end] = [moved[0]?.from, moved[moved.length - 1]?.to];
  if (from === to || start === undefined || end === undefined || last >= nodes.length) return null;
  const order = from < to ? [...moved.slice(1), ...moved.slice(0, 1)] : [...moved.slice(-1), ...moved.slice(0, -1)];
  const pieces = order.map((node, index) => {
    const own = text.slice(node.from, node.to);
    const next = moved[index + 1];
    const gap = next ? text.slice(moved[index]?.to, next.from) : "";
    return (own.endsWith("\n") ? own : `${own}\n`) + gap;
  });
  const insert = pieces.join("");
  const isAtEnd = end === text.length && !text.endsWith("\n");
  return { from: start, to: end, insert: isAtEnd ? insert.replace(/\n$/, "") : insert };
}

/** Adds a part at the end of the text. */
export function addPart(text: string, name: string): Change {
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  const content = "content: |\n    Write here what the model reads.\n"; // no text: it goes into the document
  return { from: text.length, to: text.length, insert: `${start}- name: ${name}\n  role: user\n  ${content}` };
}

/** Removes a part, a loop or a condition. */
export function dropNode(node: Node): Change {
  return { from: node.from, to: node.to, insert: "" };
}
