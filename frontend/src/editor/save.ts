// Saving and proposing without leaving the page, and the dialog for diffs.
import { createElement, createIcon, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError, callServer, OfflineError, SERVER_ANSWERED, SignedOutError } from "./api.ts";
import type { NewerDraft } from "./draft.ts";
import type { SaveOutcome } from "./types.ts";

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  /** Waits for a pending draft request, so that the draft can't outlive the version created from it. */
  before: () => Promise<void>;
  /** Whether the draft that the server has is this tab's own, so that the action can be sent again. */
  takeAnswer: (newer: NewerDraft) => boolean;
  onOutcome: (outcome: SaveOutcome) => void;
}

/** Saves and proposes without leaving the page; the server's response (saved, refused, conflict) is shown above the
 * foot, and its buttons work the same way. */
export function installSave(root: HTMLFormElement, wiring: Wiring): () => void {
  const container = findElement(root, "[data-outcome]");
  let busy = false;
  // The status line is above the foot, so it has to be above the server's response too.
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--outcome-height", `${container.offsetHeight}px`);
  }).observe(container);

  async function send(action: string, pressed: HTMLElement | null): Promise<void> {
    if (busy) return;
    busy = true;
    const spinner = createIcon("loader");
    spinner.classList.add("spin");
    pressed?.prepend(spinner);
    pressed?.setAttribute("aria-busy", "true");
    try {
      await wiring.before();
      const sendSave = () => callServer<SaveOutcome>("POST", wiring.url, { ...wiring.body(), do: action });
      let outcome = await sendSave();
      if (outcome.newer && wiring.takeAnswer(outcome.newer)) outcome = await sendSave();
      show(outcome.html ?? "");
      wiring.onOutcome(outcome);
    } catch (error) {
      const message =
        error instanceof CallError ? error.message : gettext("That did not work. Your text is safe here; try again.");
      const banner = createElement(
        "div",
        { class: "banner banner-bad", role: "alert" },
        createIcon("circle-x"),
        message,
      );
      container.replaceChildren(banner);
      if (error instanceof OfflineError) window.addEventListener("online", () => banner.remove(), { once: true });
      if (error instanceof OfflineError || error instanceof SignedOutError)
        document.addEventListener(SERVER_ANSWERED, () => banner.remove(), { once: true });
      wiring.onOutcome({ html: "", problems: null, saved: null });
    } finally {
      busy = false;
      spinner.remove();
      pressed?.removeAttribute("aria-busy");
    }
  }

  function show(html: string): void {
    container.innerHTML = html;
    container.querySelector<HTMLElement>("[data-focus]")?.focus();
  }

  root.addEventListener("submit", (event) => {
    const pressed = event.submitter;
    if (!(pressed instanceof HTMLButtonElement) || pressed.name !== "do" || pressed.hasAttribute("data-plain")) return;
    event.preventDefault();
    void send(pressed.value, pressed);
  });
  container.addEventListener("click", (event) => {
    if ((event.target as Element).closest("[data-dismiss]")) container.replaceChildren();
  });
  return () => void send("save", root.querySelector("button[name=do][value=save]"));
}

/** Shows an HTML fragment from the server in a dialog on the right, so that the text stays visible. */
export function showDialog(title: string, html: string): HTMLDialogElement {
  const dialog = createElement("dialog", { class: "dialog dialog-wide", "aria-label": title });
  const body = createElement("div", { class: "dialog-body" });
  body.innerHTML = html;
  const close = createElement("button", { type: "button", class: "button" }, gettext("Back to the text"));
  close.addEventListener("click", () => dialog.close());
  dialog.append(createElement("h2", {}, title), body, createElement("div", { class: "dialog-foot" }, close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
