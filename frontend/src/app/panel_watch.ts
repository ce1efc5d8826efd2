// Watches what an open panel compares with. Where somebody moves a label meanwhile, or what the panel is about may not
// be published any more, a line above the foot says so. The panel's button is off until the comparison is loaded again.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { describeEvent, isAbout, type JournalEvent } from "./live_events.ts";

/** The DOM event that carries events of the journal, whatever the page is about. */
export const JOURNAL = "promptuary:journal";

/** Fetches the panel of an address; null where there is none any more. */
export async function fetchPanel(address: string): Promise<Document | null> {
  const headers = { "HX-Request": "true", "HX-Target": "panel" };
  const answer = await fetch(address, { headers }).catch(() => null);
  if (!answer?.ok || answer.redirected) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector(".panel") ? page : null;
}

/** What the panel's button would act on: its title, what it shows as served, and whether it is offered. */
function describePanel(panel: ParentNode): string {
  const seen = [...panel.querySelectorAll<HTMLInputElement>("input[type=hidden][name=expected]")];
  const words = [...panel.querySelectorAll("#panel-title, button[form=panel-form]")].map(
    (part) => part.textContent ?? "",
  );
  return [...words.map((text) => text.trim().replace(/\s+/g, " ")), ...seen.map((field) => field.value)].join("\n");
}

/** Compares the open panel with what its address shows now, whenever the journal tells of its templates. */
export function installPanelWatch(reload: (panel: HTMLElement) => void): void {
  document.addEventListener(JOURNAL, (told) => {
    const event = (told as CustomEvent<JournalEvent>).detail;
    for (const panel of document.querySelectorAll<HTMLElement>(".panel[data-about]"))
      if (isAbout((panel.dataset.about ?? "").trim().split(/\s+/), event)) void compare(panel, event, reload);
  });
}

async function compare(panel: HTMLElement, event: JournalEvent, reload: (panel: HTMLElement) => void): Promise<void> {
  const now = await fetchPanel(panel.dataset.address ?? location.href);
  if (!now || !panel.isConnected || describePanel(now) === describePanel(panel)) return;
  for (const button of panel.querySelectorAll<HTMLButtonElement>("button[form=panel-form], #panel-form button")) {
    button.disabled = true;
    button.setAttribute("aria-describedby", "panel-news");
  }
  const again = createElement(
    "button",
    { type: "button", class: "button button-small" },
    gettext("Reload the comparison"),
  );
  again.addEventListener("click", () => reload(panel));
  const line = createElement("p", { class: "banner banner-warn panel-moved", id: "panel-news", role: "alert" });
  line.append(createElement("span", {}, describeEvent(event, false), " ", again));
  panel.querySelector("#panel-news")?.remove();
  panel.querySelector(".panel-foot")?.before(line);
}
