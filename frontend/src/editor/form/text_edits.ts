// What the form does, as edits of the text.
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
  // Line ends at the close of a content are stripped when it is read; written, they would pile up below it.
  const lines = text
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => (line.trim() ? margin + line : ""));
  const block = lines.join("\n");
  return { from, to, insert: content.style === "block" ? block : `|\n${block}` };
}

/** Another value for a key of a part: in the place of the one that is there, or on a line of its own after the first. */
export function writeKey(text: string, part: Part, key: string, present: Value | null, value: string): Change {
  if (present) return { from: present.from, to: present.to, insert: value };
  const end = text.indexOf("\n", part.from);
  const at = end < 0 ? text.length : end;
  return { from: at, to: at, insert: `\n${" ".repeat(part.indent + 2)}${key}: ${value}` };
}

/** A node in the place of the one before it, and that one after it; what stands between them stays there. */
export function swapNodes(text: string, before: Node, node: Node): Change {
  const first = text.slice(before.from, before.to);
  const between = text.slice(before.to, node.from);
  const second = text.slice(node.from, node.to);
  const joined = second.endsWith("\n") ? second : `${second}\n`;
  const rest = node.to === text.length && !text.endsWith("\n") ? first.replace(/\n$/, "") : first;
  return { from: before.from, to: node.to, insert: joined + between + rest };
}

/** A fresh part at the end of the text. */
export function addPart(text: string, name: string): Change {
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  return {
    from: text.length,
    to: text.length,
    insert: `${start}- name: ${name}\n  role: user\n  content: |\n    Write here what the model reads.\n`,
  };
}

/** The part taken out. */
export function dropPart(part: Part): Change {
  return { from: part.from, to: part.to, insert: "" };
}
