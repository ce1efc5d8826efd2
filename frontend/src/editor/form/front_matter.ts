// The fields of the front matter, parsed from the text and written as edits of it.
import type { Change } from "./text_edits.ts";
import { quoteYaml } from "./text_edits.ts";

/** A line of the front matter, from `from` to `to`. */
export interface Row {
  from: number;
  to: number;
  line: string;
}

/** A field for display; `isComplex` if its layout can only be edited in the source. */
export interface Field {
  value: string;
  isComplex: boolean;
  /** Its 1-based line; 0 if it is missing. */
  line: number;
}

const ORDER = ["description", "tags", "format", "model", "profile", "settings", "token_limit", "reserve"];
const NONE: Field = { value: "", isComplex: false, line: 0 };
const FLOW_LIST = /^\[([^[\]{}]*)\]$/;
const FLOW_MAPPING = /^\{([^{}[\]"']*)\}$/;

/** The lines of the front matter after the first, including the closing one; null if there isn't any. */
export function readFrontMatterRows(text: string): Row[] | null {
  const rows: Row[] = [];
  let from = 0;
  while (from <= text.length) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    const line = text.slice(from, to);
    if (from === 0 && line.trimEnd() !== "---") return null;
    if (from > 0) rows.push({ from, to, line });
    if (from > 0 && line.trimEnd() === "---") return rows;
    if (end < 0) return null;
    from = to + 1;
  }
  return null;
}

/** A field with one text or number. */
export function readField(text: string, key: string): Field {
  const place = findField(text, key);
  if (!place) return NONE;
  const value = place.inner.length ? null : readScalar(place.value);
  return { value: value ?? "", isComplex: value === null, line: place.line };
}

/** The tags, comma-separated. */
export function readTags(text: string): Field {
  const place = findField(text, "tags");
  if (!place) return NONE;
  const items = place.inner.length
    ? place.value.trim()
      ? null
      : place.inner.map((row) => readScalar(/^\s*- (.*)$/.exec(row.line)?.[1] ?? "["))
    : (FLOW_LIST.exec(place.value.trim())?.[1]?.split(",") ?? null)?.map((item) => readScalar(item));
  const tags = (items ?? [null]).filter((item) => item !== "");
  const isComplex = tags.includes(null);
  return { value: isComplex ? "" : tags.join(", "), isComplex, line: place.line };
}

/** A value of `settings`, such as the temperature. */
export function readSetting(text: string, name: string): Field {
  const place = findField(text, "settings");
  if (!place) return NONE;
  const inner = place.inner.find((row) => row.line.trim().startsWith(`${name}:`));
  if (inner) {
    const value = readScalar(inner.line.slice(inner.line.indexOf(":") + 1));
    return { value: value ?? "", isComplex: value === null, line: place.line };
  }
  const flow = FLOW_MAPPING.exec(place.value.trim());
  const isComplex = !flow && !(place.inner.length && !place.value.trim());
  const entry = flow?.[1]?.split(",").find((pair) => pair.trim().startsWith(`${name}:`));
  return { value: entry ? entry.slice(entry.indexOf(":") + 1).trim() : "", isComplex, line: place.line };
}

/** Sets a field; an empty text removes it. null if only the source can change it. */
export function writeText(text: string, key: string, value: string): Change | null {
  return writeField(text, key, value === "" ? null : quoteYaml(value));
}

/** Sets a number field; null removes it. */
export function writeNumber(text: string, key: string, value: number | null): Change | null {
  return writeField(text, key, value === null ? null : String(value));
}

/** Sets the tags, each once. */
export function writeTags(text: string, tags: string[]): Change | null {
  const quoted = [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))].map((tag) =>
    /^[\w.-]+$/.test(tag) ? quoteYaml(tag) : JSON.stringify(tag),
  );
  if (readTags(text).isComplex) return null;
  return writeField(text, "tags", quoted.length ? `[${quoted.join(", ")}]` : null, true);
}

/** Sets a number in `settings`; null removes it. */
export function writeSetting(text: string, name: string, value: number | null): Change | null {
  const place = findField(text, "settings");
  if (!place) return value === null ? null : writeField(text, "settings", `{${name}: ${value}}`);
  if (readSetting(text, name).isComplex) return null;
  if (place.inner.length) return writeInnerSetting(text, place, name, value);
  const entries = (FLOW_MAPPING.exec(place.value.trim())?.[1] ?? "").split(",").map((entry) => entry.trim());
  const others = entries.filter((entry) => entry && !entry.startsWith(`${name}:`));
  const next = value === null ? others : [`${name}: ${value}`, ...others];
  return writeField(text, "settings", next.length ? `{${next.join(", ")}}` : null);
}

function writeInnerSetting(text: string, place: Place, name: string, value: number | null): Change | null {
  const row = place.inner.find((innerRow) => innerRow.line.trim().startsWith(`${name}:`));
  if (row && value === null) {
    const isLast = place.inner.filter((innerRow) => innerRow.line.trim()).length === 1;
    return isLast ? writeField(text, "settings", null, true) : { from: row.from, to: row.to + 1, insert: "" };
  }
  const margin = /^ */.exec(place.inner[0]?.line ?? "")?.[0] || "  ";
  if (row) return { from: row.from, to: row.to, insert: `${margin}${name}: ${value}` };
  return value === null ? null : { from: place.row.to, to: place.row.to, insert: `\n${margin}${name}: ${value}` };
}

interface Place {
  row: Row;
  /** The text after the key. */
  value: string;
  /** The lines below that belong to it. */
  inner: Row[];
  line: number;
}

function findField(text: string, key: string): Place | null {
  const rows = readFrontMatterRows(text) ?? [];
  const at = rows.findIndex((row) => row.line.startsWith(`${key}:`));
  const row = rows[at];
  if (!row) return null;
  const rowsBelow = rows.slice(at + 1);
  const end = rowsBelow.findIndex((row) => row.line.trim() && !/^(?: |- )/.test(row.line));
  const inner = end < 0 ? rowsBelow : rowsBelow.slice(0, end);
  while (inner.length && !inner[inner.length - 1]?.line.trim()) inner.pop();
  return { row, value: row.line.slice(key.length + 1), inner, line: at + 2 };
}

/** `yaml`: the value in YAML; null removes the field. `withInner`: also replaces the lines below. */
function writeField(text: string, key: string, yaml: string | null, withInner = false): Change | null {
  const place = findField(text, key);
  if (place) {
    const last = withInner ? (place.inner[place.inner.length - 1] ?? place.row) : place.row;
    const isSimple = withInner || (!place.inner.length && isWritable(place.value));
    if (!isSimple) return null;
    if (yaml === null) return { from: place.row.from, to: last.to + 1, insert: "" };
    return { from: place.row.from, to: last.to, insert: `${key}: ${yaml}` };
  }
  if (yaml === null) return null;
  const rows = readFrontMatterRows(text);
  if (!rows) return { from: 0, to: 0, insert: `---\n${key}: ${yaml}\n---\n` };
  const rank = ORDER.indexOf(key);
  const next = rows.find((row) => {
    const key = /^([A-Za-z_]\w*):/.exec(row.line)?.[1];
    return key !== undefined && (ORDER.indexOf(key) > rank || !ORDER.includes(key));
  });
  const at = (next ?? rows[rows.length - 1])?.from ?? 0;
  return { from: at, to: at, insert: `${key}: ${yaml}\n` };
}

/** Whether a value can be replaced without losing anything, such as a trailing comment. */
const isWritable = (value: string): boolean => readScalar(value) !== null || FLOW_MAPPING.test(value.trim());

/** A text on one line; null unless it is a plain or simply quoted one. */
function readScalar(written: string): string | null {
  const text = written.trim();
  if (text.startsWith('"')) {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === "string" ? value : null;
    } catch {
      return null;
    }
  }
  const quoted = /^'((?:[^']|'')*)'$/.exec(text);
  if (quoted) return (quoted[1] ?? "").replaceAll("''", "'");
  return /^[|>&*!%@`[{#'"?]|: |:$| #|^- /.test(text) ? null : text;
}
