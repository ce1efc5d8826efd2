// Parsing JSON without changing the notation of numbers: 1.0 stays 1.0, and a long integer keeps every digit.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Removes white space between tokens; the text must be valid JSON. */
export function writeCompactSource(text: string): string {
  return (text.match(TOKEN) ?? []).join("");
}

/** The names of a JSON object with the source of each value, in order. */
export function splitObject(source: string): [string, string][] {
  const entries: [string, string][] = [];
  let depth = 0;
  let name: string | null = null;
  let start = -1;
  for (const match of source.matchAll(TOKEN)) {
    const token = match[0];
    if (depth === 1 && (token === "," || token === "}") && name !== null) {
      entries.push([name, source.slice(start, match.index).trim()]);
      name = null;
      start = -1;
    } else if (depth === 1 && token === ":" && start < 0) start = match.index + 1;
    else if (depth === 1 && name === null && token.startsWith('"')) name = JSON.parse(token) as string;
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
  }
  return entries;
}

export function joinObject(entries: readonly [string, string][]): string {
  return `{${entries.map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(",")}}`;
}

export const isObjectSource = (source: string): boolean => source.startsWith("{");
