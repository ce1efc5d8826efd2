// Text that this browser stored: that of a reloaded tab is shown again, that of an earlier visit is offered.
import type { EditorView } from "@codemirror/view";
import { showStatus } from "../app/status.ts";
import { createElement, findElement } from "../dom.ts";
import { gettext, readPageLanguage } from "../language.ts";
import type { Draft } from "./draft.ts";
import type { LocalDraft } from "./local_texts.ts";
import { type Samples, unpackSamples } from "./sample_map.ts";

interface Editor {
  view: EditorView;
  inputs: { readonly samples: Samples };
  message: HTMLInputElement;
  use(document: string, samples: Samples): void;
}

/** Shows the text that was typed in this tab before a reload, and offers each other stored text that differs from the
 * displayed one. */
export function restoreUnsentText(root: HTMLElement, draft: Draft, editor: Editor): void {
  const readShown = () => ({
    document: editor.view.state.doc.toString(),
    samples: editor.inputs.samples,
    message: editor.message.value,
  });
  const base = findElement<HTMLInputElement>(root, "[name=base]").value;
  const own = draft.localTexts.findOwn({ ...readShown(), revision: draft.revision, base });
  if (own) restoreText(editor, own);
  for (const text of draft.localTexts.listLeft(readShown())) offerText(root, draft, editor, text);
  if (own) draft.resumeReloaded(own.sent ?? []);
}

function restoreText(editor: Editor, { document, samples, sampleOrder, message }: LocalDraft): void {
  editor.use(document, samples ? unpackSamples({ samples, sampleOrder }) : editor.inputs.samples);
  if (message) editor.message.value = message;
}

function offerText(root: HTMLElement, draft: Draft, editor: Editor, localDraft: LocalDraft): void {
  const time = new Date(localDraft.at).toLocaleTimeString(readPageLanguage(), { hour: "2-digit", minute: "2-digit" });
  const button = createElement("button", { type: "button", class: "button button-small" }, gettext("Use that text"));
  const drop = createElement(
    "button",
    { type: "button", class: "button button-quiet button-small" },
    gettext("Discard it"),
  );
  const message = gettext("This browser has text from {when} that did not reach the server.", { when: time });
  const offer = createElement("div", { class: "banner banner-warn", role: "alert" }, message, button, drop);
  button.addEventListener("click", () => {
    restoreText(editor, localDraft);
    offer.remove();
    draft.saveSoon();
    void draft.flush().then(() => draft.localTexts.removeLeft(localDraft));
  });
  drop.addEventListener("click", () => {
    draft.localTexts.removeLeft(localDraft);
    offer.remove();
    showStatus(gettext("Discarded the text from {when}.", { when: time }), () => {
      draft.localTexts.restoreLeft(localDraft);
      offerText(root, draft, editor, localDraft);
    });
  });
  findElement(root, "[data-outcome]").append(offer);
}
