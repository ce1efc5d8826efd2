// The banner of a draft that was saved in another tab or on another device.
import { createElement, createIcon, formatTimeAgo } from "../dom.ts";
import { gettext } from "../language.ts";
import type { NewerDraft } from "./draft.ts";

/** The author's choices: the draft that was saved elsewhere, or the text on the page. */
interface Choices {
  takeNewer: () => void;
  keep: () => void;
}

/** Creates the banner, with a button for each choice. */
export function createConflict(newer: NewerDraft, choices: Choices): HTMLElement {
  const isGone = newer.document === undefined;
  const age = newer.saved_at ? formatTimeAgo(newer.saved_at) : "";
  const message = isGone
    ? gettext("This draft was saved or discarded in another tab or on another device.")
    : gettext("This draft is newer elsewhere: it was changed in another tab or on another device {when}.", {
        when: age,
      });
  const button = createElement(
    "button",
    { type: "button", class: "button" },
    isGone ? gettext("Load what is saved") : gettext("Use that one"),
  );
  const keep = createElement("button", { type: "button", class: "button" }, gettext("Use this one"));
  button.addEventListener("click", choices.takeNewer);
  keep.addEventListener("click", choices.keep);
  const text = createElement(
    "p",
    {},
    createElement("b", {}, message),
    " ",
    gettext("Nothing is overwritten until you choose."),
  );
  const buttons = createElement("span", { class: "end buttons" }, button, keep);
  return createElement("div", { class: "banner banner-warn", role: "alert" }, createIcon("users"), text, buttons);
}
