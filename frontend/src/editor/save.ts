import { find, icon, make } from "../dom.ts";
import { CallError, call } from "./api.ts";
import type { Outcome } from "./types.ts";

interface Wiring {
  url: string;
  body: () => Record<string, unknown>;
  /** Lets a draft that is on its way arrive first, so that it cannot outlive the version made of it. */
  before: () => Promise<void>;
  came: (outcome: Outcome) => void;
}

/** Saves and proposes without leaving the page; what the server answers (saved, refused, conflict) stands above the
 * foot, and its own buttons go the same way. */
export function installSave(root: HTMLFormElement, wiring: Wiring): () => void {
  const place = find(root, "[data-outcome]");
  let busy = false;

  async function send(action: string, pressed: HTMLElement | null): Promise<void> {
    if (busy) return;
    busy = true;
    const spinner = icon("loader");
    spinner.classList.add("spin");
    pressed?.prepend(spinner);
    pressed?.setAttribute("aria-busy", "true");
    try {
      await wiring.before();
      const outcome = await call<Outcome>("POST", wiring.url, { ...wiring.body(), do: action });
      show(outcome.html);
      wiring.came(outcome);
    } catch (error) {
      const words =
        error instanceof CallError ? error.message : "That did not work. Your text is safe here; try again.";
      place.replaceChildren(make("div", { class: "banner banner-bad", role: "alert" }, icon("circle-x"), words));
      wiring.came({ html: "", problems: null, saved: null });
    } finally {
      busy = false;
      spinner.remove();
      pressed?.removeAttribute("aria-busy");
    }
  }

  function show(html: string): void {
    place.innerHTML = html;
    place.querySelector<HTMLElement>("[data-focus]")?.focus();
  }

  root.addEventListener("submit", (event) => {
    const pressed = event.submitter;
    if (!(pressed instanceof HTMLButtonElement) || pressed.name !== "do" || pressed.hasAttribute("data-plain")) return;
    event.preventDefault();
    void send(pressed.value, pressed);
  });
  place.addEventListener("click", (event) => {
    if ((event.target as Element).closest("[data-dismiss]")) place.replaceChildren();
  });
  return () => void send("save", root.querySelector("button[name=do][value=save]"));
}

/** Shows a fragment of the server's in a dialog at the right, so that the text stays in sight. */
export function showDialog(title: string, html: string): HTMLDialogElement {
  const dialog = make("dialog", { class: "dialog dialog-wide", "aria-label": title });
  const body = make("div", { class: "dialog-body" });
  body.innerHTML = html;
  const close = make("button", { type: "button", class: "button" }, "Back to the text");
  close.addEventListener("click", () => dialog.close());
  dialog.append(make("h2", {}, title), body, make("div", { class: "dialog-foot" }, close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
