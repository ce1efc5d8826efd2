// Finds where a text stops being valid JSON.

const TEXT = String.raw`"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*`; // without the closing quote
const SCALAR = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const TOKEN = new RegExp(String.raw`([{}[\],:])|(${TEXT}")|${SCALAR}`, "y");
const TEXT_BEGINNING = new RegExp(TEXT, "y");
const SPACE = /[ \t\n\r]*/y;

type Wanted = "value" | "valueOrEnd" | "name" | "nameOrEnd" | "colon" | "commaOrEnd" | "nothing";

/** The index of the first invalid character; the text's length if it ends too early, null if it is valid JSON. */
export function findJsonError(text: string): number | null {
  const open: string[] = [];
  let expected: Wanted = "value";
  let position = 0;
  for (;;) {
    position = findEndOfMatch(SPACE, text, position);
    if (position === text.length) return expected === "nothing" ? null : position;
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(text);
    if (!match)
      return text[position] === '"' && wantsText(expected) ? findEndOfMatch(TEXT_BEGINNING, text, position) : position;
    const following = readToken(expected, match[1] ?? (match[2] ? '"' : "0"), open);
    if (!following) return position;
    expected = following;
    position = TOKEN.lastIndex;
  }
}

const wantsText = (expected: Wanted): boolean => expected.startsWith("value") || expected.startsWith("name");

function findEndOfMatch(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}

/** What may follow this token: a punctuation character, `"` for a string, `0` for another value; null if the token
 * isn't allowed here. */
function readToken(expected: Wanted, token: string, open: string[]): Wanted | null {
  const around = open.at(-1);
  if (token === "]" || token === "}") {
    const mayEnd = expected === "commaOrEnd" || expected === (token === "]" ? "valueOrEnd" : "nameOrEnd");
    if (!mayEnd || around !== (token === "]" ? "[" : "{")) return null;
    open.pop();
    return open.length ? "commaOrEnd" : "nothing";
  }
  if (token === ",") return expected !== "commaOrEnd" ? null : around === "{" ? "name" : "value";
  if (token === ":") return expected === "colon" ? "value" : null;
  if (expected.startsWith("name")) return token === '"' ? "colon" : null;
  if (!expected.startsWith("value")) return null;
  if (token !== "[" && token !== "{") return open.length ? "commaOrEnd" : "nothing";
  open.push(token);
  return token === "[" ? "valueOrEnd" : "nameOrEnd";
}
