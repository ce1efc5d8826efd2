// Watches what an open panel compares with. If someone moves a label meanwhile, or the subject of the panel may no
// longer be published, a line above the foot says so, and the panel's button is disabled until the comparison is
// reloaded.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { describeEvent, isAbout, type JournalEvent } from "./live_events.ts";

/** The DOM event that carries journal events, independent of the page's topics. */
export const JOURNAL = "promptuary:journal";

/** The headers of a request for the panel alone, without the page that it is otherwise shown as. */
export const PANEL_HEADERS = { "HX-Request": "true", "HX-Target": "panel" };

/** Fetches the panel of a URL; null if it no longer exists. */
export async function fetchPanel(address: string): Promise<Document | null> {
  const answer = await fetch(address, { headers: PANEL_HEADERS }).catch(() => null);
  if (!answer?.ok || answer.redirected) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector(".panel") ? page : null;
}

/** What the panel's button would act on: its title, the version shown as served, and whether it is available. */
function describePanel(panel: ParentNode): string {
  const expected = [...panel.querySelectorAll<HTMLInputElement>("input[type=hidden][name=expected]")];
  const texts = [...panel.querySelectorAll("#panel-title, button[form=panel-form]")].map(
    (part) => part.textContent ?? "",
  );
  return [...texts.map((text) => text.trim().replace(/\s+/g, " ")), ...expected.map((field) => field.value)].join("\n");
}

/** Compares the open panel with the current one at its URL, on each journal event about its templates. */
export function installPanelWatch(reload: (panel: HTMLElement) => void): void {
  document.addEventListener(JOURNAL, (journalEvent) => {
    const event = (journalEvent as CustomEvent<JournalEvent>).detail;
    for (const panel of document.querySelectorAll<HTMLElement>(".panel[data-about]"))
      if (isAbout((panel.dataset.about ?? "").trim().split(/\s+/), event)) void comparePanel(panel, event, reload);
  });
}

async function comparePanel(
  panel: HTMLElement,
  event: JournalEvent,
  reload: (panel: HTMLElement) => void,
): Promise<void> {
  const page = await fetchPanel(panel.dataset.address ?? location.href);
  if (!page || !panel.isConnected || describePanel(page) === describePanel(panel)) return;
  for (const button of panel.querySelectorAll<HTMLButtonElement>("button[form=panel-form], #panel-form button")) {
    button.disabled = true;
    button.setAttribute("aria-describedby", "panel-news");
  }
  const button = createElement(
    "button",
    { type: "button", class: "button button-small" },
    gettext("Reload the comparison"),
  );
  button.addEventListener("click", () => reload(panel));
  const line = createElement("p", { class: "banner banner-warn panel-moved", id: "panel-news", role: "alert" });
  line.append(createElement("span", {}, describeEvent(event, false), " ", button));
  panel.querySelector("#panel-news")?.remove();
  panel.querySelector(".panel-foot")?.before(line);
}
