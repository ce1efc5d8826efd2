// What is offered for a prompt that was pasted as the whole text of a part, or of the document.
import { undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import { showStatus } from "../app/status.ts";
import { codeSpans, createElement, createIcon, findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { callServer } from "./api.ts";
import { singleStep } from "./edit_history.ts";
import { type Outline, outlineOf, type Part, partsOf, type Refusal } from "./form/outline.ts";
import { type Change, writeContent } from "./form/text_edits.ts";
import { formatOf } from "./language.ts";

/** How the server would write the pasted text. */
interface PastedPrompt {
  kind: "messages" | "several" | "inputs" | "literal" | "edges" | "noted";
  body: string;
  count: number;
  title: string;
  reason: string;
  differences: string[];
  /** The whole document, where the text says more than its messages; else empty. */
  document: string;
}

const SHORTEST = 8; // characters: less than this is typing
const MOST_DIFFERENCES = 4;

/** Blank lines and ends of lines are written anew by a card, so they say nothing about the text. */
const essence = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();

/** Asks the server about each pasted prompt and shows its offer above the form, until it is taken, left or undone. */
export function installPasteOffer(
  root: HTMLFormElement,
  view: EditorView,
  urls: { preview: string; import: string },
  changed: () => void,
  saveDraft: () => Promise<void>,
): void {
  const region = findElement(root, "[data-paste-offer]");
  let latest = 0;

  const outline = (): Outline | Refusal => outlineOf(view.state.doc.toString(), formatOf(view.state));

  /** Where the pasted text is now: a part that says nothing else, or the document; null where it is neither. */
  const placeOf = (pasted: string): Part | "document" | null => {
    if (essence(view.state.doc.toString()) === essence(pasted)) return "document";
    const found = outline();
    if ("reason" in found || found.format !== "parts") return null;
    return partsOf(found.nodes).find((part) => part.content && essence(part.content.text) === essence(pasted)) ?? null;
  };

  const close = (): void => region.replaceChildren();

  const take = (pasted: string, offer: PastedPrompt): void => {
    const place = placeOf(pasted);
    const change = place && changeOf(place, offer, view.state.doc.length);
    close();
    if (!change) return;
    view.dispatch(singleStep({ changes: change }));
    changed();
    const said =
      offer.kind === "messages"
        ? ngettext("Turned into {count} part.", "Turned into {count} parts.", offer.count)
        : gettext("Changed the pasted text.");
    showStatus(said, () => undo(view));
  };

  /** The page that makes a template of each prompt takes the text; the draft keeps it here as well. */
  const openImport = async (pasted: string): Promise<void> => {
    await saveDraft();
    const form = createElement("form", { method: "post", action: urls.import, enctype: "multipart/form-data" });
    const token = findElement<HTMLInputElement>(root, "input[name=csrfmiddlewaretoken]").value;
    for (const [name, value] of Object.entries({ csrfmiddlewaretoken: token, text: pasted })) {
      const field = createElement("textarea", { name });
      field.value = value;
      form.append(field);
    }
    form.hidden = true;
    document.body.append(form);
    form.submit();
  };

  const show = (pasted: string, offer: PastedPrompt): void => {
    const accept = createElement("button", { type: "button", class: "button", "data-accept": "" }, actOf(offer));
    accept.addEventListener("click", () => (offer.kind === "several" ? void openImport(pasted) : take(pasted, offer)));
    const leaving = offer.kind === "noted" ? gettext("Close") : gettext("Leave as text");
    const leave = createElement("button", { type: "button", class: "button button-quiet" }, leaving);
    leave.addEventListener("click", close);
    const words = createElement("div", {}, createElement("p", {}, createElement("b", {}, titleOf(offer))));
    const reasons = offer.reason ? [offer.reason] : [];
    const sentences = [...reasons, ...offer.differences].slice(0, MOST_DIFFERENCES);
    for (const sentence of sentences)
      words.append(createElement("p", { class: "note" }, ...codeSpans(startSentence(sentence))));
    const head = createElement(
      "div",
      { class: "notice-head" },
      createIcon("info"),
      words,
      ...(offer.kind === "noted" ? [leave] : [accept, leave]),
    );
    const label = gettext("The text you pasted");
    region.replaceChildren(createElement("section", { class: "notice notice-offer", "aria-label": label }, head));
  };

  root.addEventListener(
    "paste",
    (event) => {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      const isInText = event.target instanceof Element && event.target.closest(".cm-content") !== null;
      if (!isInText || pasted.trim().length < SHORTEST) return;
      const number = ++latest;
      close();
      window.setTimeout(async () => {
        if (placeOf(pasted) === null) return;
        const answer = await callServer<{ pasted: PastedPrompt | null }>("POST", urls.preview, {
          want: "pasted",
          text: pasted,
        }).catch(() => null);
        if (number !== latest || placeOf(pasted) === null) return;
        if (answer?.pasted) show(pasted, answer.pasted);
        else if (answer && endsInLineEnd(pasted) && placeOf(pasted) !== "document")
          showStatus(gettext("Pasted. The end of the last line is left out, because a part has none."));
      });
    },
    { capture: true },
  );
}

const endsInLineEnd = (text: string): boolean => /[\r\n]$/.test(text);

/** What is said of a difference begins in lower case, because it stands after its line elsewhere. */
const startSentence = (said: string): string =>
  `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.!?]$/.test(said) ? "" : "."}`;

function titleOf(offer: PastedPrompt): string {
  if (offer.kind === "noted") return gettext("This text has places in other notations too.");
  if (offer.title && offer.kind === "literal")
    return gettext("Looks like {format}, which could not be read.", { format: offer.title });
  if (offer.title && offer.kind === "several")
    return ngettext("{format}: {count} prompt.", "{format}: {count} prompts.", offer.count, { format: offer.title });
  if (offer.kind === "literal") return gettext("Some characters of this text mean something else here.");
  if (offer.kind === "edges") return gettext("A part leaves out the blank lines and spaces at the edges of this text.");
  if (offer.kind === "inputs") return gettext("This text has inputs in another notation.");
  if (!offer.title) return gettext("This text has labels such as USER: and ASSISTANT:.");
  return gettext("Looks like {format}.", { format: offer.title });
}

function actOf(offer: PastedPrompt): string {
  if (offer.kind === "literal") return gettext("Keep it as it was pasted");
  if (offer.kind === "edges") return gettext("Keep them");
  if (offer.kind === "inputs") return gettext("Turn them into inputs");
  if (offer.kind === "several") return ngettext("Import {count} template", "Import {count} templates", offer.count);
  return ngettext("Turn into {count} part", "Turn into {count} parts", offer.count);
}

/** A conversation replaces its part; a text keeps the part's name and settings. */
function changeOf(place: Part | "document", offer: PastedPrompt, size: number): Change | null {
  if (place === "document") return { from: 0, to: size, insert: offer.document || offer.body };
  if (offer.kind === "messages") return { from: place.from, to: place.to, insert: offer.body };
  const written = outlineOf(offer.body, "parts");
  const content = "reason" in written ? null : partsOf(written.nodes)[0]?.content;
  return content && place.content ? writeContent(place, place.content, content.text) : null;
}
