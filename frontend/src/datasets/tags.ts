// The tags of a row: a list in the file, one text with commas in the grid.

/** The tags that a text names, each once. */
export function splitTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim().replace(/\s+/g, " "));
  return [...new Set(tags.filter(Boolean))];
}

/** The text of a list in JSON; anything else stays as it is, for the server to refuse. */
export function joinTags(source: string): string {
  const tags = JSON.parse(source) as unknown;
  return Array.isArray(tags) ? tags.join(", ") : tags === null ? "" : source;
}
