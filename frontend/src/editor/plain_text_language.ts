// A language without structure, for the text around Jinja tags in a `text` document.
import { defineLanguageFacet, Language, LanguageSupport } from "@codemirror/language";
import { NodeType, Parser, type PartialParse, Tree } from "@lezer/common";

// The build also substitutes it for the HTML language that @codemirror/lang-jinja would otherwise include.

const TEXT = NodeType.define({ id: 0, name: "PlainText", top: true });

class PlainParser extends Parser {
  createParse(_input: unknown, _fragments: unknown, ranges: readonly { from: number; to: number }[]): PartialParse {
    const from = ranges[0]?.from ?? 0;
    const to = ranges[ranges.length - 1]?.to ?? 0;
    return {
      advance: () => new Tree(TEXT, [], [], to - from),
      parsedPos: to,
      stoppedAt: null,
      stopAt: () => {},
    };
  }
}

const facet = defineLanguageFacet();
const language = new Language(facet, new PlainParser(), [], "plain");

/** Plain text as a CodeMirror language, with the same export name as the HTML package it replaces. */
export const html = (): LanguageSupport => new LanguageSupport(language);
