// The offer of text that an earlier visit of this browser could not send.
import { createElement, findElement } from "../dom.ts";
import { gettext, pageLanguage } from "../language.ts";
import type { Draft } from "./draft.ts";
import type { Data } from "./types.ts";

interface Editor {
  text(): string;
  samples(): Record<string, Data>;
  use(document: string, samples: Record<string, Data>): void;
}

/** Offers the text that this browser kept, where it differs from the one that is shown. */
export function offerUnsentText(root: HTMLElement, draft: Draft, editor: Editor): void {
  const left = draft.readLocalDraft();
  if (!left || left.document === editor.text()) {
    draft.removeLocalDraft();
    return;
  }
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
    editor.use(left.document, left.samples ?? editor.samples());
    offer.remove();
  });
  drop.addEventListener("click", () => {
    draft.removeLocalDraft();
    offer.remove();
  });
  findElement(root, "[data-outcome]").append(offer);
}
