// Parses the fields of a JSON reply that is still being streamed.

/** A field received so far: `text` is the content of a string, or the JSON of any other value. */
export interface PartialField {
  name: string;
  text: string;
  isComplete: boolean;
}

const FENCE = /^\s*```(?:json)?\s*\n?/i; // no text: a pattern

/** Whether a reply looks like the beginning of a JSON object. */
export function looksLikeObject(text: string): boolean {
  return text.replace(FENCE, "").trimStart().startsWith("{");
}

/** The end of the string that begins at `start` (after its closing quote), or -1 if it isn't closed yet. */
function findStringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === '"') return index + 1;
  }
  return -1;
}

/** The end of the value that begins at `start`, or -1 if it is incomplete. */
function findValueEnd(text: string, start: number): number {
  if (text[start] === '"') return findStringEnd(text, start);
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === '"') {
      const end = findStringEnd(text, index);
      if (end < 0) return -1;
      index = end - 1;
    } else if ("{[".includes(character)) depth++;
    else if ("}]".includes(character)) {
      if (depth === 0) return index; // the end of the object around a number or a literal
      depth--;
      if (depth === 0) return index + 1;
    } else if (character === "," && depth === 0) return index;
  }
  return -1;
}

/** The content of an unclosed string, without a truncated escape. */
function readOpenString(raw: string): string {
  for (const cut of [0, 1, 2, 3, 4, 5]) {
    try {
      return JSON.parse(`${raw.slice(0, raw.length - cut)}"`) as string;
    } catch {
      // an escape such as \u00e9 may take up to six characters
    }
  }
  return raw.slice(1);
}

function readValue(raw: string, isComplete: boolean): string {
  if (!raw.startsWith('"')) return raw.trim();
  if (!isComplete) return readOpenString(raw);
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw.slice(1, -1);
  }
}

/** The fields of the object at the start of `text`; empty if there isn't one. */
export function readPartialFields(text: string): PartialField[] {
  const source = text.replace(FENCE, "");
  const fields: PartialField[] = [];
  let index = source.indexOf("{");
  if (index < 0 || source.slice(0, index).trim()) return fields;
  index++;
  while (index < source.length) {
    while (index < source.length && /[\s,]/.test(source[index] ?? "")) index++;
    if (source[index] !== '"') break;
    const nameEnd = findStringEnd(source, index);
    if (nameEnd < 0) break;
    const name = readValue(source.slice(index, nameEnd), true);
    const colon = /^\s*:\s*/.exec(source.slice(nameEnd));
    if (!colon) break;
    const start = nameEnd + colon[0].length;
    if (start >= source.length) {
      fields.push({ name, text: "", isComplete: false });
      break;
    }
    const end = findValueEnd(source, start);
    fields.push({
      name,
      text: readValue(source.slice(start, end < 0 ? undefined : end), end >= 0),
      isComplete: end >= 0,
    });
    if (end < 0) break;
    index = end;
  }
  return fields;
}
