// The offer of text that an earlier visit in this browser couldn't send.
import { showStatus } from "../app/status.ts";
import { createElement, findElement } from "../dom.ts";
import { gettext, pageLanguage } from "../language.ts";
import type { Draft } from "./draft.ts";
import type { LocalDraft } from "./local_texts.ts";
import { type Samples, unpackSamples } from "./sample_map.ts";

interface Editor {
  text(): string;
  samples(): Samples;
  message: HTMLInputElement;
  use(document: string, samples: Samples): void;
}

/** Offers each stored text that differs from the displayed one. */
export function offerUnsentText(root: HTMLElement, draft: Draft, editor: Editor): void {
  const shown = { document: editor.text(), samples: editor.samples(), message: editor.message.value };
  const left = draft.localTexts.listLeft(shown);
  for (const text of left) offerText(root, draft, editor, text);
}

function offerText(root: HTMLElement, draft: Draft, editor: Editor, left: LocalDraft): void {
  const when = new Date(left.at).toLocaleTimeString(pageLanguage(), { hour: "2-digit", minute: "2-digit" });
  const take = createElement("button", { type: "button", class: "button button-small" }, gettext("Use that text"));
  const drop = createElement(
    "button",
    { type: "button", class: "button button-quiet button-small" },
    gettext("Discard it"),
  );
  const words = gettext("This browser has text from {when} that did not reach the server.", { when });
  const offer = createElement("div", { class: "banner banner-warn", role: "alert" }, words, take, drop);
  take.addEventListener("click", () => {
    const { document, samples, sampleOrder, message } = left;
    editor.use(document, samples ? unpackSamples({ samples, sampleOrder }) : editor.samples());
    if (message) editor.message.value = message;
    offer.remove();
    draft.saveSoon();
    void draft.flush().then(() => draft.localTexts.removeLeft(left));
  });
  drop.addEventListener("click", () => {
    draft.localTexts.removeLeft(left);
    offer.remove();
    showStatus(gettext("Discarded the text from {when}.", { when }), () => {
      draft.localTexts.restoreLeft(left);
      offerText(root, draft, editor, left);
    });
  });
  findElement(root, "[data-outcome]").append(offer);
}
