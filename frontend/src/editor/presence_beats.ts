// Reports to the server that this tab has the template open in the editor, and which part contains the cursor.
import type { EditorView } from "@codemirror/view";
import { makeTabId } from "../app/editor_tab.ts";
import { findElement } from "../dom.ts";
import { listParts, type Part } from "./form/outline.ts";
import { readOutline } from "./form/outline_reader.ts";
import { readFormat } from "./language.ts";

const ADDRESS = "/live/presence";
const BEAT = 4000;
const PAUSE = 400; // delay before reporting another part, because tabbing through parts isn't editing
const MAX_PART_LENGTH = 200;

interface Wiring {
  view: EditorView;
  /** The name of the draft, empty for the default one. */
  draft: string;
  /** The last saved document: only part names in it are reported, because a draft is private to its author. */
  saved: () => string;
  goTo: (place: { line: number; column: number }) => void;
}

/** Starts if the template has been saved, because only its author can open an unsaved one. */
export function installPresenceBeats(root: HTMLElement, wiring: Wiring): void {
  const line = root.querySelector<HTMLElement>("[data-presence]");
  const template = line?.dataset.presence;
  if (!line || !template) return;
  line.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-go-to-part]");
    if (button) goToPart(root, wiring, button.dataset.goToPart ?? "");
  });
  const tab = makeTabId(wiring.draft);
  line.dataset.tab = tab;
  let told = "";
  const send = (body: Record<string, unknown>): void => {
    const token = findElement<HTMLInputElement>(root, "input[name=csrfmiddlewaretoken]").value;
    const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
    const request = { method: "POST", headers, body: JSON.stringify({ template, tab, ...body }), keepalive: true };
    void fetch(ADDRESS, request).catch(() => undefined);
  };
  let isUsed = false; // focus set by the page itself doesn't indicate editing
  for (const kind of ["keydown", "pointerdown"]) {
    root.addEventListener(kind, () => {
      isUsed = true;
    });
  }
  const partNow = (): string => {
    if (!isUsed) return "";
    const name = findPartWithCursor(wiring.view);
    const isSaved =
      name.length <= MAX_PART_LENGTH && findParts(wiring.view, wiring.saved()).some((part) => isNamed(part, name));
    return isSaved ? name : "";
  };
  const sendBeat = (): void => {
    told = partNow();
    send({ part: told });
  };
  let timer = window.setInterval(sendBeat, BEAT);
  let moved: number | undefined;
  for (const kind of ["focusin", "focusout", "keyup", "pointerup"]) {
    root.addEventListener(kind, () => {
      window.clearTimeout(moved);
      moved = window.setTimeout(() => partNow() !== told && sendBeat(), PAUSE);
    });
  }
  sendBeat();
  window.addEventListener("pagehide", () => {
    window.clearInterval(timer);
    window.clearTimeout(moved);
    send({ leave: true });
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    timer = window.setInterval(sendBeat, BEAT);
    sendBeat();
  });
}

/** The name of the part being edited, in a card or in the source; empty for none. */
function findPartWithCursor(view: EditorView): string {
  if (!view.hasFocus) return document.activeElement?.closest<HTMLElement>(".form-card")?.dataset.part ?? "";
  const { head } = view.state.selection.main;
  const part = findParts(view, view.state.doc.toString()).find(
    (candidate) => head >= candidate.from && head < candidate.to,
  );
  return part?.name?.text ?? "";
}

/** Puts the cursor into the part: in its card if cards are shown, else in the source. */
function goToPart(root: HTMLElement, { view, goTo }: Wiring, name: string): void {
  const cards = [...root.querySelectorAll<HTMLElement>(".form-card")];
  const card = cards.find((element) => element.dataset.part === name && element.checkVisibility());
  if (card) {
    card.scrollIntoView({ block: "center" });
    card.querySelector<HTMLElement>(".cm-content, .form-static")?.focus();
    return;
  }
  const part = findParts(view, view.state.doc.toString()).find((candidate) => isNamed(candidate, name));
  if (part) goTo({ line: view.state.doc.lineAt(part.from).number, column: 1 });
}

function findParts(view: EditorView, text: string): Part[] {
  const outline = readOutline(text, readFormat(view.state));
  return "reason" in outline ? [] : listParts(outline.nodes);
}

const isNamed = (part: Part, name: string): boolean => part.name?.text === name;
