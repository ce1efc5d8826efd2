// The languages of the source: YAML front matter, YAML parts or text, Jinja expressions.
import { jinja } from "@codemirror/lang-jinja";
import { yamlFrontmatter, yamlLanguage } from "@codemirror/lang-yaml";
import { LanguageSupport, syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, type Range, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { styleTags, tagHighlighter, tags } from "@lezer/highlight";
import { html as plain } from "./plain_text_language.ts";

export type Format = "parts" | "text" | "shaped" | "prompter";

/** The line number of the `---` that closes the front matter, 0 if there isn't any. */
export function findFrontMatterEnd(state: EditorState): number {
  if (state.doc.line(1).text.trimEnd() !== "---") return 0;
  for (let number = 2; number <= state.doc.lines; number++) {
    if (state.doc.line(number).text.trimEnd() === "---") return number;
  }
  return 0;
}

/** The format in the front matter; `parts` by default. */
export function readFormat(state: EditorState): Format {
  const end = findFrontMatterEnd(state);
  for (let number = 2; number < end; number++) {
    const named = /^format:\s*["']?(parts|text|shaped|prompter)\b/.exec(state.doc.line(number).text);
    if (named) return named[1] as Format;
  }
  return "parts";
}

// Only keys at the start of a line are bold; otherwise those inside `{…}` would distract.
const yamlWithoutTags = yamlLanguage.configure({
  props: [styleTags({ "FlowMapping/Pair/Key/Literal FlowMapping/Pair/Key/QuotedLiteral": tags.propertyName })],
});
const makeYaml = (): LanguageSupport => new LanguageSupport(yamlWithoutTags);

/** Front matter is always YAML; the body is Jinja around YAML, Jinja around text, or what the format requires. */
export function chooseLanguage(format: Format): LanguageSupport {
  const bodies = {
    parts: () => jinja({ base: makeYaml() }),
    text: () => jinja({ base: plain() }),
    shaped: () => plain(),
    prompter: () => makeYaml(),
  };
  return yamlFrontmatter({ content: bodies[format]() });
}

export const highlighter = tagHighlighter([
  { tag: tags.definition(tags.propertyName), class: "tok-key" },
  { tag: tags.string, class: "tok-string" },
  { tag: [tags.number, tags.bool, tags.special(tags.string)], class: "tok-literal" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], class: "tok-comment" },
  { tag: [tags.meta, tags.separator, tags.punctuation], class: "tok-quiet" },
]);

const interpolationMark = Decoration.mark({ class: "tok-hole" });
const statementMark = Decoration.mark({ class: "tok-statement" });
const literalMark = Decoration.mark({ class: "tok-literal" });
// Scalars that are values, not prose: `role: system`, `{type: string, default: 3}`, `[formal, warm]`.
const SCALAR = /(?<=[:[,]\s?)(?:true|false|null|-?\d[\d.]*|[\w./-]+)(?=\s*(?:$|[,}\]]|\s#))/g;
const BODY_KEY = /^\s*(?:-\s+)?(?:role|truncation_priority|shrink|min_tokens|kind):\s/;

/** Marks what the language's own tags can't distinguish: whole `{{ }}` and `{% %}`, and literal values. */
function markVisibleLines(view: EditorView): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  const bodyLine = findFrontMatterEnd(view.state);
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name === "Interpolation") ranges.push(interpolationMark.range(node.from, node.to));
        else if (node.name === "Tag" || node.name === "EndTag") ranges.push(statementMark.range(node.from, node.to));
      },
    });
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      if (line.number < bodyLine || BODY_KEY.test(line.text)) {
        for (const match of line.text.matchAll(SCALAR)) {
          if (match[0])
            ranges.push(literalMark.range(line.from + match.index, line.from + match.index + match[0].length));
        }
      }
      at = line.to + 1;
    }
  }
  const builder = new RangeSetBuilder<Decoration>();
  ranges.sort((a, b) => a.from - b.from || a.value.startSide - b.value.startSide);
  for (const range of ranges) if (range.from < range.to) builder.add(range.from, range.to, range.value);
  return builder.finish();
}

export const syntaxMarks: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = markVisibleLines(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.state) !== syntaxTree(update.startState)) {
        this.decorations = markVisibleLines(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Wrapped lines continue two columns right of the start of their text, so that YAML's indentation stays readable. */
function indentVisibleLines(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      if (line.length > 24) {
        const start = Math.min(24, (/^\s*(?:- )?/.exec(line.text)?.[0].length ?? 0) + 2);
        const style = `text-indent:-${start}ch;padding-inline-start:calc(${start}ch + 6px)`;
        builder.add(line.from, line.from, Decoration.line({ attributes: { style } }));
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

export const hangingLines: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = indentVisibleLines(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = indentVisibleLines(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
