// The offer for a prompt that was pasted as the whole text of a part, or of the document.
import { undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import { showStatus } from "../app/status.ts";
import { createCodeSpans, createElement, createIcon, findElement } from "../dom.ts";
import { capitalize, gettext, ngettext } from "../language.ts";
import { callServer } from "./api.ts";
import { makeSingleStep } from "./edit_history.ts";
import { listParts, type Outline, type Part, type Refusal } from "./form/outline.ts";
import { readOutline } from "./form/outline_reader.ts";
import { type Change, writeContent } from "./form/text_edits.ts";
import { readFormat } from "./language.ts";
import type { QuickFixAnswer } from "./notices.ts";
import { findSmallestChange } from "./text_changes.ts";

/** The server's conversion of the pasted text. */
interface PastedPrompt {
  kind: "messages" | "text" | "several" | "inputs" | "literal" | "edges" | "noted";
  body: string;
  count: number;
  title: string;
  reason: string;
  differences: string[];
  part_names: string[];
  /** The whole document, if the text contains more than messages; else empty. */
  document: string;
}

const MIN_LENGTH = 8; // characters: anything shorter is typing
const MAX_DIFFERENCES = 4;
const MAX_NAMES = 8;
const DECLARES_INPUTS = /^---\n(?:(?!---\n).*\n)*?inputs:/;

/** A card rewrites blank lines and line ends, so comparisons ignore them. */
const normalizeText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();

/** Asks the server about each pasted prompt and shows its offer above the form, until it is accepted, dismissed or
 * undone. */
export function installPasteOffer(
  root: HTMLFormElement,
  view: EditorView,
  urls: { preview: string; import: string; edit: string },
  changed: () => void,
  saveDraft: () => Promise<void>,
): void {
  const region = findElement(root, "[data-paste-offer]");
  let latest = 0;

  const readCurrentOutline = (): Outline | Refusal => readOutline(view.state.doc.toString(), readFormat(view.state));

  /** Where the pasted text is now: a part with no other content, or the document; null if neither. */
  const placeOf = (pasted: string): Part | "document" | null => {
    if (normalizeText(view.state.doc.toString()) === normalizeText(pasted)) return "document";
    const outline = readCurrentOutline();
    if ("reason" in outline || outline.format !== "parts") return null;
    return (
      listParts(outline.nodes).find(
        (part) => part.content && normalizeText(part.content.text) === normalizeText(pasted),
      ) ?? null
    );
  };

  const close = (): void => region.replaceChildren();

  const changeIn = (pasted: string, offer: PastedPrompt): Change | null => {
    const place = placeOf(pasted);
    return place && makeChange(place, offer, view.state.doc.length);
  };

  /** Declares the document's new inputs; null if there aren't any, or if only the source can declare them. */
  const declareInputs = async (document: string): Promise<QuickFixAnswer | null> => {
    if (!DECLARES_INPUTS.test(document)) return null;
    const base = findElement<HTMLInputElement>(root, "input[name=base]").value;
    const sent = { do: "declare:", document, base };
    return callServer<QuickFixAnswer>("POST", urls.edit, sent).catch(() => null);
  };

  const insertPrompt = async (pasted: string, offer: PastedPrompt): Promise<void> => {
    const change = changeIn(pasted, offer);
    close();
    if (!change) return;
    const before = view.state.doc;
    const changedText = before.replace(change.from, change.to, view.state.toText(change.insert)).toString();
    const declared = offer.kind === "inputs" || offer.kind === "text" ? await declareInputs(changedText) : null;
    const isSame = view.state.doc.eq(before);
    const whole = declared && isSame ? findSmallestChange(before.toString(), declared.document) : null;
    const step = whole ?? (isSame ? change : changeIn(pasted, offer));
    if (!step) return;
    view.dispatch(makeSingleStep({ changes: step }));
    changed();
    const text =
      offer.kind === "messages"
        ? ngettext("Turned into {count} part.", "Turned into {count} parts.", offer.count)
        : gettext("Changed the pasted text.");
    showStatus(whole && declared ? `${text} ${declared.status}` : text, () => undo(view));
  };

  /** Passes the text to the import page, which creates a template for each prompt; the draft also keeps it. */
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
    const accept = createElement("button", { type: "button", class: "button", "data-accept": "" }, writeAction(offer));
    accept.addEventListener(
      "click",
      () => void (offer.kind === "several" ? openImport(pasted) : insertPrompt(pasted, offer)),
    );
    const leaving = offer.kind === "noted" ? gettext("Close") : gettext("Leave as text");
    const leave = createElement("button", { type: "button", class: "button button-quiet" }, leaving);
    leave.addEventListener("click", close);
    const content = createElement("div", {}, createElement("p", {}, createElement("b", {}, writeTitle(offer))));
    const isCut = hasSettings(offer) && placeOf(pasted) !== "document";
    const sentences = [
      ...describeParts(offer),
      ...(isCut ? [gettext("Its model, settings and inputs stay behind: a part has only text.")] : []),
      ...(offer.reason ? [offer.reason] : []),
      ...offer.differences,
    ];
    const notes = sentences.map((text) =>
      createElement("p", { class: "note" }, ...createCodeSpans(capitalizeSentence(text))),
    );
    content.append(...notes.slice(0, MAX_DIFFERENCES));
    const others = notes.slice(MAX_DIFFERENCES);
    if (others.length) {
      const more = ngettext("{count} more difference", "{count} more differences", others.length);
      content.append(createElement("details", {}, createElement("summary", {}, more), ...others));
    }
    const head = createElement(
      "div",
      { class: "notice-head" },
      createIcon("info"),
      content,
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
      if (!isInText || pasted.trim().length < MIN_LENGTH) return;
      const number = ++latest;
      close();
      window.setTimeout(async () => {
        if (placeOf(pasted) === null) return;
        const answer = await callServer<{ pasted: PastedPrompt | null }>("POST", urls.preview, {
          want: "pasted",
          text: pasted,
        }).catch(() => null);
        if (number !== latest || placeOf(pasted) === null) return;
        if (
          answer?.pasted &&
          placeOf(pasted) === "document" &&
          normalizeText(answer.pasted.document) === normalizeText(pasted)
        )
          return;
        if (answer?.pasted) show(pasted, answer.pasted);
        else if (answer && endsInLineEnd(pasted) && placeOf(pasted) !== "document")
          showStatus(gettext("Pasted. The end of the last line is left out, because a part has none."));
      });
    },
    { capture: true },
  );
}

const SETTINGS = /^(?:description|tags|model|settings|inputs|tools|output):/m;

/** Whether the converted document says more than its parts, which a part can't hold. */
const hasSettings = (offer: PastedPrompt): boolean =>
  SETTINGS.test(offer.document.slice(0, offer.document.length - offer.body.length));

const endsInLineEnd = (text: string): boolean => /[\r\n]$/.test(text);

/** Descriptions of differences are lower case, because elsewhere they follow a line number. */
const capitalizeSentence = (text: string): string => `${capitalize(text)}${/[.!?]$/.test(text) ? "" : "."}`;

/** The parts of a converted conversation by name; of many only the first. */
function describeParts(offer: PastedPrompt): string[] {
  if (offer.kind !== "messages") return [];
  const names = offer.part_names.slice(0, MAX_NAMES).join(", ") + (offer.count > MAX_NAMES ? " …" : "");
  return [ngettext("It becomes {count} part: {names}.", "It becomes {count} parts: {names}.", offer.count, { names })];
}

function writeTitle(offer: PastedPrompt): string {
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

function writeAction(offer: PastedPrompt): string {
  if (offer.kind === "literal") return gettext("Keep it as it was pasted");
  if (offer.kind === "edges") return gettext("Keep them");
  if (offer.kind === "inputs") return gettext("Turn them into inputs");
  if (offer.kind === "several") return ngettext("Import {count} template", "Import {count} templates", offer.count);
  if (offer.kind === "text") return gettext("Turn into its text");
  return ngettext("Turn into {count} part", "Turn into {count} parts", offer.count);
}

/** A conversation replaces its part; plain text keeps the part's name and settings. */
function makeChange(place: Part | "document", offer: PastedPrompt, size: number): Change | null {
  if (place === "document") return { from: 0, to: size, insert: offer.document || offer.body };
  if (offer.kind === "messages") return { from: place.from, to: place.to, insert: offer.body };
  const written = readOutline(offer.body, "parts");
  const content = "reason" in written ? null : listParts(written.nodes)[0]?.content;
  return content && place.content ? writeContent(place, place.content, content.text) : null;
}
