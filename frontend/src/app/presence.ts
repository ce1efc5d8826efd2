// Shows on a template's pages who has it open in the editor, and which part they are editing.
import { createElement, createIcon } from "../dom.ts";
import { gettext, ngettext, readPageLanguage } from "../language.ts";
import { findSameDraft } from "./editor_tab.ts";
import { leadTabs } from "./leading_tab.ts";
import { pauseAfter } from "./live_events.ts";

const ADDRESS = "/live/presence";
const MAX_NAMED = 2;

/** The users in the editor, as sent by the server. */
export interface Present {
  /** Names of the other users. */
  people: string[];
  /** The part that each user edits, by username. */
  parts: Record<string, string>;
  /** The IDs of the reader's own tabs. */
  own_tabs: string[];
}

/** One sentence of the line. part: the name of the part it links to; names: those it counts without naming them. */
export interface PresenceWords {
  text: string;
  part?: string;
  names?: string;
}

const NOBODY: Present = { people: [], parts: {}, own_tabs: [] };

/** Starts if the page is about a template that can be edited. */
export function installPresence(): void {
  const line = document.querySelector<HTMLElement>("[data-presence]");
  const name = line?.dataset.presence;
  if (line && name && "EventSource" in window) new PresenceLine(line, name).start();
}

/** Sentences about the other users and the reader's own tabs. tab: this page's ID; undefined outside the editor. */
export function describePresence({ people, parts, own_tabs }: Present, tab?: string): PresenceWords[] {
  const own = tab ? describeOwnTabs(tab, own_tabs) : [];
  if (people.length > MAX_NAMED) {
    const text = ngettext("{count} person is editing now", "{count} people are editing now", people.length);
    return [{ text, names: people.map((person) => describePart(person, parts[person])).join(", ") }, ...own];
  }
  const onParts = people.filter((person) => parts[person]);
  const elsewhere = people.filter((person) => !parts[person]);
  const sentences: PresenceWords[] = onParts.map((person) => ({
    text: describePart(person, parts[person]),
    part: parts[person] ?? "",
  }));
  if (elsewhere.length) sentences.push({ text: joinPeople(elsewhere) });
  return [...sentences, ...own];
}

/** Of the reader's own tabs only those with the same draft matter: another draft can't be overwritten. */
function describeOwnTabs(tab: string, tabs: readonly string[]): PresenceWords[] {
  const where = findSameDraft(tab, tabs);
  if (where === "here") return [{ text: gettext("Also open in another tab") }];
  return where === "elsewhere" ? [{ text: gettext("Also open in another browser") }] : [];
}

function describePart(person: string, part: string | undefined): string {
  return part ? gettext("{person} is editing {part}", { person, part }) : person;
}

function joinPeople(people: string[]): string {
  const names = new Intl.ListFormat(readPageLanguage(), { type: "conjunction" }).format(people);
  return ngettext("{people} is editing now", "{people} are editing now", people.length, { people: names });
}

class PresenceLine {
  readonly #line: HTMLElement;
  readonly #name: string;
  readonly #topic: string;
  readonly #channel: BroadcastChannel;
  #present = NOBODY;
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

  /** Only visible pages follow, and one of those for this template holds the stream for the others. */
  start(): void {
    this.#channel.addEventListener("message", (message) => this.#hear(message.data as Present | "who"));
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
      this.#pass(JSON.parse(message.data) as Present);
    });
    stream.addEventListener("error", () => {
      stream.close();
      this.#pass(NOBODY); // remove outdated information
      this.#timer = window.setTimeout(() => this.#connect(), pauseAfter(this.#failures++));
    });
  }

  #pass(present: Present): void {
    this.#present = present;
    this.#channel.postMessage(present);
    this.#show(present);
  }

  #hear(message: Present | "who"): void {
    if (message !== "who") this.#show(message);
    else if (this.#stream) this.#channel.postMessage(this.#present);
  }

  #show(present: Present): void {
    const sentences = describePresence(present, this.#line.dataset.tab);
    this.#line.hidden = !sentences.length;
    this.#line.replaceChildren(
      ...(sentences.length ? [createIcon("users"), ...sentences.map((sentence) => this.#draw(sentence))] : []),
    );
  }

  /** In the editor, a sentence about a part links to it. */
  #draw({ text, part, names }: PresenceWords): HTMLElement {
    if (!part || this.#line.dataset.tab === undefined) return createElement("span", { title: names }, text);
    return createElement("button", { type: "button", class: "link", "data-go-to-part": part }, text);
  }
}
