// Edits of the inputs declared in the front matter.
import type { Json, Schema } from "../types.ts";
import { type Row, readFrontMatterRows } from "./front_matter.ts";
import type { Change } from "./text_edits.ts";

const RESERVED = /^(?:true|false|null|yes|no|on|off|~)$/i;

/** A value in YAML's flow style: `{type: string, enum: [formal, warm]}`. */
export function writeFlowYaml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(writeFlowYaml).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.entries(value)
      .map(([key, each]) => `${writeFlowYaml(key)}: ${writeFlowYaml(each)}`)
      .join(", ")}}`;
  }
  if (typeof value === "string") {
    return /^[A-Za-z_$](?:[\w $./-]*[\w$])?$/.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
  }
  return JSON.stringify(value);
}

/** Declare an input at the end of the list; null if the layout can only be edited in the source. */
export function addInput(text: string, name: string, schema: Schema): Change | null {
  const entry = `${name}: ${writeFlowYaml(schema as Json)}`;
  const rows = readFrontMatterRows(text);
  if (!rows) return { from: 0, to: 0, insert: `---\ninputs:\n  ${entry}\n---\n` };
  const close = rows[rows.length - 1];
  const head = rows.findIndex((row) => /^inputs:/.test(row.line));
  if (head < 0) return close ? { from: close.from, to: close.from, insert: `inputs:\n  ${entry}\n` } : null;
  const headRow = rows[head];
  if (!headRow) return null;
  if (/^inputs:\s*\{\s*\}\s*$/.test(headRow.line)) return { ...headRow, insert: `inputs:\n  ${entry}` };
  if (!/^inputs:\s*$/.test(headRow.line)) return null;
  const inner = findInputRows(rows, head);
  const last = inner[inner.length - 1] ?? headRow;
  const margin = /^ +/.exec(inner[0]?.line ?? "")?.[0] ?? "  ";
  return { from: last.to, to: last.to, insert: `\n${margin}${entry}` };
}

/** Replace the schema of an input; null if it isn't on one line. */
export function setInput(text: string, name: string, schema: Schema): Change | null {
  const place = findInput(text, name);
  if (!place) return null;
  const from = place.from + place.line.indexOf(":") + 1;
  return { from, to: place.to, insert: ` ${writeFlowYaml(schema as Json)}` };
}

/** Remove the declaration of an input; null if it isn't on one line. */
export function dropInput(text: string, name: string): Change | null {
  const place = findInput(text, name);
  return place ? { from: place.from, to: place.to + 1, insert: "" } : null;
}

function findInput(text: string, name: string): Row | null {
  const rows = readFrontMatterRows(text) ?? [];
  const head = rows.findIndex((row) => /^inputs:\s*$/.test(row.line));
  if (head < 0) return null;
  const inner = findInputRows(rows, head);
  const margin = /^ */.exec(inner[0]?.line ?? "")?.[0].length ?? 0;
  const at = inner.findIndex((row) => row.line.startsWith(`${" ".repeat(margin)}${name}:`));
  const next = inner[at + 1];
  const isAlone = !next || (/^ */.exec(next.line)?.[0].length ?? 0) <= margin;
  const row = inner[at];
  // A comment after the value would be lost, and a multi-line value spans further lines.
  return row && isAlone && /:\s*\{.*\}\s*$/.test(row.line) ? row : null;
}

/** The lines under `inputs:`. */
function findInputRows(rows: Row[], head: number): Row[] {
  const rowsBelow = rows.slice(head + 1);
  const end = rowsBelow.findIndex((row) => row.line.trim() && !row.line.startsWith(" "));
  const inner = end < 0 ? rowsBelow : rowsBelow.slice(0, end);
  while (inner.length && !inner[inner.length - 1]?.line.trim()) inner.pop();
  return inner;
}
