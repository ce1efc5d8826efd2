// Parses the outline of a document. It doesn't guess: anything ambiguous is refused with a reason.
import { gettext } from "../../language.ts";
import type { Block, Content, Lines, Node, Outline, Part, Refusal, Section, Value } from "./outline.ts";

class UnclearOutline extends Error {
  constructor(
    readonly reason: string,
    readonly line: number,
  ) {
    super(reason);
  }
}

interface Line {
  text: string;
  from: number;
  number: number;
}

const STATEMENT = /^\s*\{%[-+]?\s*(\w+)\b\s*(.*?)\s*[-+]?%\}\s*$/;
const COMMENT = /^\s*\{#.*#\}\s*$|^\s*#/;
const DASH = /^( *)- +([A-Za-z_]\w*):(?: (.*))?$/;
const KEY = /^( *)([A-Za-z_]\w*):(?: (.*))?$/;
const END_TAGS: Record<string, string> = { for: "endfor", if: "endif" };
// Statements with a body up to their end tag, which are shown as lines.
const NESTED_TAGS: Record<string, string> = {
  macro: "endmacro",
  call: "endcall",
  filter: "endfilter",
  raw: "endraw",
  with: "endwith",
};

const refuseLine = (line: Line): UnclearOutline =>
  new UnclearOutline(gettext("Line {line} can only be edited in the source.", { line: line.number }), line.number);

/** The outline of a document, or why there isn't one. `format` is the one in its front matter. */
export function readOutline(text: string, format: string): Outline | Refusal {
  const lines = splitIntoLines(text);
  const first = findBodyLine(lines);
  const body = lines[first]?.from ?? text.length;
  if (format === "text") {
    const content: Content = { from: body, to: text.length, text: text.slice(body), style: "body", indent: 0 };
    const part: Part = {
      kind: "part",
      from: body,
      to: text.length,
      indent: 0,
      name: null,
      role: null,
      priority: null,
      content,
      others: [],
    };
    return { format: "text", nodes: [part], body, end: text.length };
  }
  if (format !== "parts")
    return { reason: gettext("The form can't show the format {format} yet.", { format }), line: 1 };
  try {
    const reader = new Reader(lines, first, text.length);
    const nodes = reader.readNodes([]);
    return { format: "parts", nodes, body, end: text.length };
  } catch (error) {
    if (error instanceof UnclearOutline) return { reason: error.reason, line: error.line };
    throw error;
  }
}

function splitIntoLines(text: string): Line[] {
  let from = 0;
  return text.split("\n").map((line, index) => {
    const entry = { text: line, from, number: index + 1 };
    from += line.length + 1;
    return entry;
  });
}

/** The index of the first line after the front matter. */
function findBodyLine(lines: Line[]): number {
  if (lines[0]?.text.trimEnd() !== "---") return 0;
  const close = lines.findIndex((line, index) => index > 0 && line.text.trimEnd() === "---");
  return close < 0 ? 0 : close + 1;
}

class Reader {
  constructor(
    readonly lines: Line[],
    public at: number,
    readonly size: number,
  ) {}

  /** Nodes up to one of the statements `ends`, which isn't consumed, or to the end of the text. */
  readNodes(ends: string[]): Node[] {
    const nodes: Node[] = [];
    for (let line = this.lines[this.at]; line; line = this.lines[this.at]) {
      const statement = STATEMENT.exec(line.text);
      if (statement) {
        const word = statement[1] ?? "";
        if (ends.includes(word)) return nodes;
        if (word.startsWith("end") || word === "else" || word === "elif") {
          throw new UnclearOutline(
            gettext("{tag} closes nothing that the form knows.", { tag: `{% ${word} %}` }),
            line.number,
          );
        }
        nodes.push(END_TAGS[word] ? this.readBlock(word) : this.readNestedTag(word, statement[2] ?? ""));
      } else if (!line.text.trim()) {
        this.at++;
      } else if (COMMENT.test(line.text)) {
        nodes.push(this.takeLines(this.at, this.at + 1));
      } else if (DASH.test(line.text)) {
        nodes.push(this.readPart());
      } else {
        throw refuseLine(line);
      }
    }
    if (ends.length)
      throw new UnclearOutline(
        gettext("{tag} is missing.", { tag: `{% ${ends[ends.length - 1]} %}` }),
        this.lines.length,
      );
    return nodes;
  }

  /** A loop or a condition with its sections. */
  readBlock(word: string): Block {
    const first = this.at;
    const closing = END_TAGS[word] ?? "";
    const sections: Section[] = [];
    for (;;) {
      const line = this.currentLine();
      const [, keyword = "", rest = ""] = STATEMENT.exec(line.text) ?? [];
      this.at++;
      if (keyword === closing) break;
      sections.push({ head: `${keyword} ${rest}`.trim(), nodes: this.readNodes(["elif", "else", closing]) });
    }
    return { kind: "block", from: this.findOffset(first), to: this.findOffset(this.at), sections };
  }

  /** A single statement (`set`, `include`), or one with a body up to its end tag (`macro`). */
  readNestedTag(word: string, expression: string): Lines {
    const first = this.at;
    const closing = word === "set" && !expression.includes("=") ? "endset" : NESTED_TAGS[word];
    this.at++;
    while (closing) {
      const line = this.currentLine();
      this.at++;
      if (STATEMENT.exec(line.text)?.[1] === closing) break;
    }
    return this.takeLines(first, this.at);
  }

  /** A part up to the next line that isn't one of its keys. */
  readPart(): Part {
    const first = this.at;
    const head = DASH.exec(this.currentLine().text);
    const indent = head?.[1]?.length ?? 0;
    const column = this.currentLine().text.indexOf(head?.[2] ?? "", indent + 1);
    const part: Part = {
      kind: "part",
      from: this.findOffset(first),
      to: 0,
      indent,
      name: null,
      role: null,
      priority: null,
      content: null,
      others: [],
    };
    for (let line = this.lines[this.at]; line; line = this.lines[this.at]) {
      if (!line.text.trim()) {
        this.at++;
        continue;
      }
      const start = this.at === first ? DASH.exec(line.text) : KEY.exec(line.text);
      const depth = line.text.length - line.text.trimStart().length;
      if (this.at !== first && depth <= indent) break;
      if (!start || (this.at !== first && depth !== column) || STATEMENT.test(line.text)) {
        throw refuseLine(line);
      }
      this.readKey(part, start[2] ?? "", start[3] ?? "", column);
    }
    // Blank lines between two parts belong to neither: they stay in place when a part is moved.
    let last = this.at;
    while (last > first + 1 && !this.lines[last - 1]?.text.trim()) last--;
    part.to = this.findOffset(last);
    return part;
  }

  /** Reads the value of a key into the part. */
  readKey(part: Part, key: string, valueText: string, column: number): void {
    const line = this.currentLine();
    this.at++;
    const linesBelow = this.takeLinesBelow(column);
    const from = line.from + line.text.length - valueText.length;
    if (key === "content") {
      const isEmpty = /^\|[+-]?$/.test(valueText.trim()) && linesBelow.length === 0;
      part.content = isEmpty
        ? this.readEmptyBlock(valueText, from)
        : readContent(valueText, from, linesBelow, this.size);
    } else if (linesBelow.length) throw refuseLine(line);
    else if (key === "name") part.name = readScalar(valueText, from);
    else if (key === "role") part.role = readScalar(valueText, from);
    else if (key === "truncation_priority") part.priority = readScalar(valueText, from);
    else part.others.push(`${key}: ${valueText}`);
  }

  /** A literal block without text, such as that of a part whose text was deleted. The blank line below is its own. */
  readEmptyBlock(valueText: string, from: number): Content {
    const blank = this.lines[this.at];
    const to = blank && !blank.text.trim() ? blank.from + blank.text.length : from + valueText.trimEnd().length;
    return { from: from + valueText.length - valueText.trimStart().length, to, text: "", style: "inline", indent: 0 };
  }

  /** The lines of a value that continues below its key. */
  takeLinesBelow(column: number): Line[] {
    const first = this.at;
    for (let line = this.lines[this.at]; line; line = this.lines[this.at]) {
      if (line.text.trim() && line.text.length - line.text.trimStart().length <= column) break;
      this.at++;
    }
    while (this.at > first && !this.lines[this.at - 1]?.text.trim()) this.at--;
    return this.lines.slice(first, this.at);
  }

  takeLines(first: number, end: number): Lines {
    this.at = end;
    const from = this.findOffset(first);
    const to = this.findOffset(end);
    const text = this.lines.slice(first, end).map((line) => line.text);
    return { kind: "lines", from, to, text: text.join("\n") };
  }

  /** The line at the current position, which a block that isn't closed lacks. */
  currentLine(): Line {
    const line = this.lines[this.at];
    if (!line) throw new UnclearOutline(gettext("A block is not closed."), this.lines.length);
    return line;
  }

  /** Where a line begins; the text's length after the last one. */
  findOffset(index: number): number {
    return this.lines[index]?.from ?? this.size;
  }
}

/** A value on one line; null unless it is a plain or simply quoted one. */
function readScalar(valueText: string, from: number): Value | null {
  const text = valueText.trim();
  const to = from + valueText.trimEnd().length;
  const start = from + valueText.length - valueText.trimStart().length;
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted) return { from: start, to, text: quoted[1] ?? "" };
  if (!text || /^["'|>&*!%@`[{#]/.test(text.replace(/^\{\{/, "")) || /: | #/.test(text)) return null;
  return { from: start, to, text };
}

function readContent(valueText: string, from: number, below: Line[], size: number): Content | null {
  const mark = valueText.trim();
  if (/^\|[+-]?$/.test(mark)) {
    const first = below.find((line) => line.text.trim());
    if (!first) return null;
    const indent = first.text.length - first.text.trimStart().length;
    if (below.some((line) => line.text.trim() && line.text.length - line.text.trimStart().length < indent)) return null;
    const last = below[below.length - 1];
    const start = below[0]?.from ?? size;
    const to = last ? last.from + last.text.length : size;
    return { from: start, to, text: below.map((line) => line.text.slice(indent)).join("\n"), style: "block", indent };
  }
  const value = below.length ? null : readScalar(valueText, from);
  return value ? { ...value, style: "inline", indent: 0 } : null;
}
