// The outline of a document: what the form shows, each piece with its place in the text. The text is the source of
// truth; every action of the form is an edit of it.

/** A value in the text from `from` to `to`. */
export interface Value {
  from: number;
  to: number;
  text: string;
}

/** The content of a part. `block` is a literal block (`|`), `inline` a value on its key's line, `body` a whole text. */
export interface Content extends Value {
  style: "block" | "inline" | "body";
  /** The indentation of each line of a block, in columns. */
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
  /** null: only the source can show the layout of the content. */
  content: Content | null;
  /** Further keys, such as `keep_last: 4`. */
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

/** Other lines: a comment, a `set`, a macro. Shown unchanged. */
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
  /** Where the body begins, and where a new part is inserted. */
  body: number;
  end: number;
}

/** Why the form can't show a document, and the line of the reason. */
export interface Refusal {
  reason: string;
  line: number;
}

/** All parts of an outline in text order. */
export function listParts(nodes: Node[]): Part[] {
  return nodes.flatMap((node) => {
    if (node.kind === "part") return [node];
    return node.kind === "block" ? node.sections.flatMap((section) => listParts(section.nodes)) : [];
  });
}
