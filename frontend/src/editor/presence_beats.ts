// Tells the server that this tab has the template open in the editor, and which part has the cursor.
import type { EditorView } from "@codemirror/view";
import { numberTab } from "../app/editor_tab.ts";
import { findElement } from "../dom.ts";
import { type Part, partsOf } from "./form/outline.ts";
import { outlineOf } from "./form/outline_reader.ts";
import { formatOf } from "./language.ts";

const ADDRESS = "/live/presence";
const BEAT = 4000;
const PAUSE = 400; // before a move to another part is told: somebody who tabs through parts edits none of them
const LONGEST_PART = 200;

interface Wiring {
  view: EditorView;
  /** The name of the draft, empty for the first one. */
  draft: string;
  /** The document as it was saved last: only names of its parts are told, because a draft is its author's alone. */
  saved: () => string;
  goTo: (place: { line: number; column: number }) => void;
}

/** Starts where the template is saved already: nobody else can open one that is not. */
export function installPresenceBeats(root: HTMLElement, wiring: Wiring): void {
  const line = root.querySelector<HTMLElement>("[data-presence]");
  const template = line?.dataset.presence;
  if (!line || !template) return;
  line.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-go-to-part]");
    if (button) goToPart(root, wiring, button.dataset.goToPart ?? "");
  });
  const tab = numberTab(wiring.draft);
  line.dataset.tab = tab;
  let told = "";
  const send = (body: Record<string, unknown>): void => {
    const token = findElement<HTMLInputElement>(root, "input[name=csrfmiddlewaretoken]").value;
    const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
    const request = { method: "POST", headers, body: JSON.stringify({ template, tab, ...body }), keepalive: true };
    void fetch(ADDRESS, request).catch(() => undefined);
  };
  let isUsed = false; // focus that the page itself sets is no sign of editing
  for (const kind of ["keydown", "pointerdown"]) {
    root.addEventListener(kind, () => {
      isUsed = true;
    });
  }
  const partNow = (): string => {
    if (!isUsed) return "";
    const name = partWithCursor(wiring.view);
    const isSaved =
      name.length <= LONGEST_PART && partsIn(wiring.view, wiring.saved()).some((part) => isNamed(part, name));
    return isSaved ? name : "";
  };
  const beat = (): void => {
    told = partNow();
    send({ part: told });
  };
  let timer = window.setInterval(beat, BEAT);
  let moved: number | undefined;
  for (const kind of ["focusin", "focusout", "keyup", "pointerup"]) {
    root.addEventListener(kind, () => {
      window.clearTimeout(moved);
      moved = window.setTimeout(() => partNow() !== told && beat(), PAUSE);
    });
  }
  beat();
  window.addEventListener("pagehide", () => {
    window.clearInterval(timer);
    window.clearTimeout(moved);
    send({ leave: true });
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    timer = window.setInterval(beat, BEAT);
    beat();
  });
}

/** The name of the part that is edited, as a card or in the source; empty for none. */
function partWithCursor(view: EditorView): string {
  if (!view.hasFocus) return document.activeElement?.closest<HTMLElement>(".form-card")?.dataset.part ?? "";
  const { head } = view.state.selection.main;
  const part = partsIn(view, view.state.doc.toString()).find((each) => head >= each.from && head < each.to);
  return part?.name?.text ?? "";
}

/** Puts the cursor into the part: in its card where cards are shown, else in the source. */
function goToPart(root: HTMLElement, { view, goTo }: Wiring, name: string): void {
  const cards = [...root.querySelectorAll<HTMLElement>(".form-card")];
  const card = cards.find((each) => each.dataset.part === name && each.checkVisibility());
  if (card) {
    card.scrollIntoView({ block: "center" });
    card.querySelector<HTMLElement>(".cm-content, .form-still")?.focus();
    return;
  }
  const part = partsIn(view, view.state.doc.toString()).find((each) => isNamed(each, name));
  if (part) goTo({ line: view.state.doc.lineAt(part.from).number, column: 1 });
}

function partsIn(view: EditorView, text: string): Part[] {
  const outline = outlineOf(text, formatOf(view.state));
  return "reason" in outline ? [] : partsOf(outline.nodes);
}

const isNamed = (part: Part, name: string): boolean => part.name?.text === name;
