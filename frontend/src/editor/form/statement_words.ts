// Loops and conditions in words, for chips and the heads of sections.
import { gettext } from "../../language.ts";

/** The action of a statement, and the expression it applies to. */
export interface StatementWords {
  kind: "loop" | "condition" | "end" | "other";
  text: string;
  expression: string;
}

const LOOP = /^for\s+(.+?)\s+in\s+(.+)$/s;
const CONDITION = /^(if|elif)\s+(.+)$/s;
const INNER = /^\{%[-+]?\s*|\s*[-+]?%\}$/g;

/** A statement without its braces: `for item in items`. */
export function readInner(source: string): string {
  return source.replace(INNER, "");
}

/** A statement (without braces) in words; unknown ones are returned unchanged. */
export function describeStatement(inner: string): StatementWords {
  const loop = LOOP.exec(inner);
  if (loop) return { kind: "loop", text: gettext("Repeats for each of"), expression: loop[2] ?? "" };
  const condition = CONDITION.exec(inner);
  if (condition) {
    const text = condition[1] === "if" ? gettext("Only if") : gettext("Otherwise, only if");
    return { kind: "condition", text, expression: describeCondition(condition[2] ?? "") };
  }
  if (inner === "else") return { kind: "condition", text: gettext("Otherwise"), expression: "" };
  if (inner === "endfor") return { kind: "end", text: gettext("End of the repeat"), expression: "" };
  if (inner === "endif") return { kind: "end", text: gettext("End of the condition"), expression: "" };
  return { kind: "other", text: inner, expression: "" };
}

/** A simple condition in words: `tone == "warm"` is "tone is warm". */
export function describeCondition(condition: string): string {
  const simple =
    /^(not\s+)?([\p{L}_][\p{L}\p{M}\p{N}_.]*)(?:\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(-?[\d.]+|true|false)))?$/u.exec(
      condition,
    );
  if (!simple) return condition;
  const [, not, name = "", sign, double, single, bare] = simple;
  if (!sign) return not ? gettext("{name} is empty", { name }) : gettext("{name} is set", { name });
  if (not) return condition;
  const values = { name, value: double ?? single ?? bare ?? "" };
  return sign === "!=" ? gettext("{name} is not {value}", values) : gettext("{name} is {value}", values);
}

/** The names that a loop defines; empty for a condition. */
export function listLoopNames(inner: string): string[] {
  const loop = LOOP.exec(inner);
  return loop ? [...(loop[1] ?? "").split(/\s*,\s*/), "loop.index"] : [];
}

/** The nesting depth of each line in loops and conditions with lines of their own; those lines count as outside. */
export function measureDepths(lines: Iterable<string>): number[] {
  const depths: number[] = [];
  let depth = 0;
  for (const line of lines) {
    const inner = /^\s*(\{%.*%\})\s*$/.exec(line)?.[1];
    const word = inner ? (/^\w+/.exec(readInner(inner))?.[0] ?? "") : "";
    if (word === "endfor" || word === "endif") depth = Math.max(0, depth - 1);
    depths.push(word === "else" || word === "elif" ? Math.max(0, depth - 1) : depth);
    if (word === "for" || word === "if") depth++;
  }
  return depths;
}
