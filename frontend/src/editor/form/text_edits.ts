// Edits of the document's text that the form mode makes.
import type { Content, Node, Part, Value } from "./outline.ts";

export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** A value written so that YAML reads the same text back. */
export function quoteYaml(text: string): string {
  if (/^[A-Za-z_](?:[\w .(){}/-]*[\w)}])?$/.test(text) && !/^(?:true|false|null|yes|no|on|off|~)$/i.test(text))
    return text;
  return JSON.stringify(text);
}

/** New text for a content. A value on its key's line becomes a block, which can hold anything. */
export function writeContent(part: Part, content: Content, text: string): Change {
  const { from, to } = content;
  if (content.style === "body") return { from, to, insert: text };
  const indent = content.style === "block" ? content.indent : part.indent + 4;
  const margin = " ".repeat(indent);
  // Blanks at the edges of a content are stripped when it is read. Written, those at its end would pile up below it,
  // and those before its first word would tell YAML of a deeper indent than that of the lines below.
  const lines = text
    .replace(/\n+$/, "")
    .replace(/^(\s*\n)?[ \t]+(?=\S)/, "$1")
    .split("\n");
  const isText = (line: string): boolean => line.trim() !== "";
  const [first, last] = [lines.findIndex(isText), lines.findLastIndex(isText)];
  // A line of blanks between two others is the author's; outside them it would be stripped.
  const block = lines
    .map((line, index) => (isText(line) || (line && index > first && index < last) ? margin + line : ""))
    .join("\n");
  return { from, to, insert: content.style === "block" ? block : `|\n${block}` };
}

/** Another value for a key of a part: in place of the present one, or on a line of its own after the first. */
export function writeKey(text: string, part: Part, key: string, present: Value | null, value: string): Change {
  if (present) return { from: present.from, to: present.to, insert: value };
  const end = text.indexOf("\n", part.from);
  const at = end < 0 ? text.length : end;
  return { from: at, to: at, insert: `\n${" ".repeat(part.indent + 2)}${key}: ${value}` };
}

/** The node at `from` in the place of the one at `to`, with those between moved up or down by one; what stands between
 * two nodes stays there. null where nothing moves. */
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

/** A fresh part at the end of the text. */
export function addPart(text: string, name: string): Change {
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  const content = "content: |\n    Write here what the model reads.\n"; // no text: it goes into the document
  return { from: text.length, to: text.length, insert: `${start}- name: ${name}\n  role: user\n  ${content}` };
}

/** A part, a loop or a condition taken out. */
export function dropNode(node: Node): Change {
  return { from: node.from, to: node.to, insert: "" };
}
