// The outline of a document: what the form shows, each piece with its place in the text. The text is the source of
// truth; all that the form does is an edit of it.

/** A value that stands in the text from `from` to `to`. */
export interface Value {
  from: number;
  to: number;
  text: string;
}

/** The content of a part. `block` is a literal block (`|`), `inline` a value on its key's line, `body` a whole text. */
export interface Content extends Value {
  style: "block" | "inline" | "body";
  /** Columns that each line of a block is indented by. */
  indent: number;
}

export interface Part {
  kind: "part";
  from: number;
  to: number;
  indent: number;
  name: Value | null;
  role: Value | null;
  priority: Value | null;
  /** null: the content is laid out in a way that only the source can show. */
  content: Content | null;
  /** Further keys, as `keep_last: 4`. */
  others: string[];
}

/** A loop or a condition around parts; a condition may have several sections. */
export interface Block {
  kind: "block";
  from: number;
  to: number;
  sections: Section[];
}

export interface Section {
  /** `for excerpt in excerpts`, `if tone == "warm"`, `else`. */
  head: string;
  nodes: Node[];
}

/** Lines that are neither: a comment, a `set`, a macro. Shown as they are. */
export interface Lines {
  kind: "lines";
  from: number;
  to: number;
  text: string;
}

export type Node = Part | Block | Lines;

export interface Outline {
  format: "parts" | "text";
  nodes: Node[];
  /** Where the body begins, and where the next part would go. */
  body: number;
  end: number;
}

/** Why the form can't show a document, and the line where it stopped. */
export interface Refusal {
  reason: string;
  line: number;
}

/** All parts of an outline in the order of the text. */
export function partsOf(nodes: Node[]): Part[] {
  return nodes.flatMap((node) => {
    if (node.kind === "part") return [node];
    return node.kind === "block" ? node.sections.flatMap((section) => partsOf(section.nodes)) : [];
  });
}
