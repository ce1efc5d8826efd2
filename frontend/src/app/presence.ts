// Says on the pages of a template who has it open in the editor, and tells the server that this tab has.
import { createIcon } from "../dom.ts";
import { ngettext, pageLanguage } from "../language.ts";
import { leadTabs } from "./leading_tab.ts";
import { pauseAfter } from "./live_events.ts";

const ADDRESS = "/live/presence";
const BEAT = 4000;

/** Starts where the page is about a template that can be edited. */
export function installPresence(): void {
  const line = document.querySelector<HTMLElement>("[data-presence]");
  const name = line?.dataset.presence;
  if (!line || !name || !("EventSource" in window)) return;
  new PresenceLine(line, name).start();
  if (line.dataset.editing !== undefined) sendBeats(name);
}

/** The names of people as a sentence; nothing without people. */
export function describePeople(people: string[]): string {
  if (!people.length) return "";
  const names = new Intl.ListFormat(pageLanguage(), { type: "conjunction" }).format(people);
  return ngettext("{people} is editing now", "{people} are editing now", people.length, { people: names });
}

/** Tells the server every few seconds that this tab has the template open, and at the end that it left. */
function sendBeats(name: string): void {
  const digits = [...crypto.getRandomValues(new Uint8Array(16))];
  const tab = digits.map((digit) => digit.toString(16).padStart(2, "0")).join("");
  const send = (body: Record<string, unknown>): void => {
    const token = document.querySelector<HTMLInputElement>("input[name=csrfmiddlewaretoken]")?.value ?? "";
    const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
    void fetch(ADDRESS, { method: "POST", headers, body: JSON.stringify(body), keepalive: true }).catch(
      () => undefined,
    );
  };
  const beat = (): void => send({ template: name, tab });
  let timer = window.setInterval(beat, BEAT);
  beat();
  window.addEventListener("pagehide", () => {
    window.clearInterval(timer);
    send({ template: name, tab, leave: true });
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    timer = window.setInterval(beat, BEAT);
    beat();
  });
}

class PresenceLine {
  readonly #line: HTMLElement;
  readonly #name: string;
  readonly #topic: string;
  readonly #channel: BroadcastChannel;
  #people: string[] = [];
  #stream: EventSource | undefined;
  #failures = 0;
  #timer: number | undefined;
  #waiting: AbortController | undefined;

  constructor(line: HTMLElement, name: string) {
    this.#line = line;
    this.#name = name;
    this.#topic = `promptuary-presence ${name}`;
    this.#channel = new BroadcastChannel(this.#topic);
  }

  /** Only visible pages follow, and one of those about this template holds the stream for the others. */
  start(): void {
    this.#channel.addEventListener("message", (message) => this.#hear(message.data as string[] | "who"));
    document.addEventListener("visibilitychange", () => this.#follow());
    window.addEventListener("pagehide", () => this.#leave());
    window.addEventListener("pageshow", () => this.#follow());
    this.#follow();
  }

  #follow(): void {
    if (document.visibilityState === "hidden") this.#leave();
    else if (!this.#waiting) this.#lead();
  }

  #lead(): void {
    this.#waiting = new AbortController();
    this.#channel.postMessage("who");
    leadTabs(this.#topic, this.#waiting.signal, () => this.#connect());
  }

  #leave(): void {
    window.clearTimeout(this.#timer);
    this.#stream?.close();
    this.#stream = undefined;
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  #connect(): void {
    window.clearTimeout(this.#timer);
    this.#stream?.close();
    const stream = new EventSource(`${ADDRESS}?template=${encodeURIComponent(this.#name)}`);
    this.#stream = stream;
    stream.addEventListener("present", (message) => {
      this.#failures = 0;
      this.#pass((JSON.parse(message.data) as { people: string[] }).people);
    });
    stream.addEventListener("error", () => {
      stream.close();
      this.#pass([]); // what is not known any more is not said
      this.#timer = window.setTimeout(() => this.#connect(), pauseAfter(this.#failures++));
    });
  }

  #pass(people: string[]): void {
    this.#people = people;
    this.#channel.postMessage(people);
    this.#show(people);
  }

  #hear(message: string[] | "who"): void {
    if (message !== "who") this.#show(message);
    else if (this.#stream) this.#channel.postMessage(this.#people);
  }

  #show(people: string[]): void {
    const words = describePeople(people);
    this.#line.hidden = words === "";
    this.#line.replaceChildren(...(words ? [createIcon("users"), words] : []));
  }
}
