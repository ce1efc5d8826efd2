// Inserting inputs and fragments while typing: `{{` or `/` opens the list.
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  moveCompletionSelection,
} from "@codemirror/autocomplete";
import { type Extension, Prec } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import { gettext } from "../../language.ts";

/** A template that can be inserted as text, by its pinned ref. */
export interface Fragment {
  ref: string;
  description: string;
}

interface Offers {
  /** Inputs and other names that can be printed there; without `typed`, the name being typed, unless it is an input. */
  names: (typed: string) => string[];
  fragments: () => Promise<Fragment[]>;
}

const BRACES = /\{\{[-+]?\s*([\w.]*)$/;
// A slash in the middle of a word, as in "and/or", is just a slash.
const SLASH = /(?:^|\s)\/([\w./-]*)$/;

/** Where an insertion begins, and the part of its name typed so far; null if there isn't one. */
export function findTrigger(before: string): { start: number; typed: string; kind: "braces" | "slash" } | null {
  const braces = BRACES.exec(before);
  if (braces) return { start: braces.index, typed: braces[1] ?? "", kind: "braces" };
  const slash = SLASH.exec(before);
  if (!slash) return null;
  const typed = slash[1] ?? "";
  return { start: before.length - typed.length - 1, typed, kind: "slash" };
}

/** Replaces the typed text by an expression, including directly following closing braces. */
function insertExpression(expression: string): (view: EditorView, _: Completion, from: number, to: number) => void {
  return (view, _completion, _from, to) => {
    const line = view.state.doc.lineAt(to);
    const trigger = findTrigger(view.state.sliceDoc(line.from, to));
    if (!trigger) return;
    const closing = trigger.kind === "braces" ? /^\s*\}\}/.exec(view.state.sliceDoc(to, line.to)) : null;
    const start = line.from + trigger.start;
    view.dispatch({
      changes: { from: start, to: to + (closing?.[0].length ?? 0), insert: expression },
      selection: { anchor: start + expression.length },
      userEvent: "input.complete",
    });
  };
}

async function complete(context: CompletionContext, offers: Offers): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const trigger = findTrigger(context.state.sliceDoc(line.from, context.pos));
  if (!trigger) return null;
  const names: Completion[] = offers.names(trigger.typed).map((name) => ({
    label: name,
    type: "variable",
    detail: gettext("input"),
    boost: 1,
    apply: insertExpression(`{{ ${name} }}`),
  }));
  const fragments: Completion[] = (await offers.fragments()).map(({ ref, description }) => ({
    label: ref,
    type: "text",
    detail: gettext("fragment"),
    ...(description && { info: description }),
    apply: insertExpression(`{{ fragment("${ref}") }}`),
  }));
  const options = [...names, ...fragments];
  return options.length ? { from: context.pos - trigger.typed.length, options, validFor: /^[\w./@-]*$/ } : null;
}

/** The completion of a card. */
export function insertCompletion(offers: Offers): Extension {
  return [
    autocompletion({
      override: [(context) => complete(context, offers)],
      defaultKeymap: false,
      icons: false,
    }),
    Prec.highest(
      keymap.of([
        { key: "ArrowDown", run: moveCompletionSelection(true) },
        { key: "ArrowUp", run: moveCompletionSelection(false) },
        { key: "Escape", run: closeCompletion },
        { key: "Enter", run: acceptCompletion },
        { key: "Tab", run: acceptCompletion },
      ]),
    ),
  ];
}
