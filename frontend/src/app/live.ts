// Reports what other users did since the page was loaded. One tab of the browser holds the stream and passes events on;
// only visible tabs request one, and nothing on the page changes without the user.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { leadTabs } from "./leading_tab.ts";
import {
  describeEvent,
  describeObstacle,
  followRenaming,
  isAbout,
  type JournalEvent,
  pauseAfter,
} from "./live_events.ts";
import { JOURNAL } from "./panel_watch.ts";

const LOCK = "promptuary-live";

/** Starts if the page declares its topics (`data-live`). */
export function installLiveStatus(): void {
  const line = document.querySelector<HTMLElement>("#live[data-live]");
  if (line && "EventSource" in window) new LiveStatus(line).start();
}

class LiveStatus {
  private readonly channel = new BroadcastChannel(LOCK);
  private topics: string[];
  private after: number | undefined;
  private count = 0;
  private stream: EventSource | undefined;
  private failures = 0;
  private timer: number | undefined;
  private waiting: AbortController | undefined;

  constructor(private readonly line: HTMLElement) {
    this.topics = (line.dataset.live ?? "").split(" ");
    this.after = line.dataset.after ? Number(line.dataset.after) : undefined;
  }

  start(): void {
    this.channel.addEventListener("message", (message) => this.hear(message.data));
    document.addEventListener("visibilitychange", () => this.follow());
    window.addEventListener("pagehide", () => this.leave());
    window.addEventListener("pageshow", () => this.follow());
    window.addEventListener("online", () => this.connectNow());
    this.follow();
  }

  private follow(): void {
    if (document.visibilityState === "hidden") this.leave();
    else if (!this.waiting) this.lead();
  }

  private lead(): void {
    this.waiting = new AbortController();
    if (navigator.locks) this.channel.postMessage({ after: this.after });
    leadTabs(LOCK, this.waiting.signal, () => this.connect());
  }

  private leave(): void {
    window.clearTimeout(this.timer);
    this.stream?.close();
    this.stream = undefined;
    this.waiting?.abort();
    this.waiting = undefined;
  }

  private connectNow(): void {
    if (this.stream && this.failures > 0) this.connect();
  }

  private connect(): void {
    window.clearTimeout(this.timer);
    this.stream?.close();
    const after = this.after === undefined ? "" : `&after=${this.after}`;
    const stream = new EventSource(`/live/events?topic=home${after}`);
    this.stream = stream;
    stream.addEventListener("journal", (message) => this.pass(JSON.parse(message.data) as JournalEvent));
    stream.addEventListener("ready", (message) => {
      this.failures = 0;
      this.after = Math.max(this.after ?? 0, (JSON.parse(message.data) as { number: number }).number);
    });
    stream.addEventListener("reset", (message) => {
      this.after = (JSON.parse(message.data) as { number: number }).number;
      this.show(gettext("Much has changed since this page was loaded."));
    });
    stream.addEventListener("error", () => {
      stream.close();
      this.timer = window.setTimeout(() => this.connect(), pauseAfter(this.failures++));
    });
  }

  private pass(event: JournalEvent): void {
    this.channel.postMessage({ event });
    this.handleEvent(event);
  }

  private hear(message: { event?: JournalEvent; after?: number }): void {
    if (message.event) this.handleEvent(message.event);
    else if (this.stream && message.after !== undefined && message.after < (this.after ?? 0)) {
      this.after = message.after; // a tab that was hidden missed events that this one has already passed on
      this.connect();
    }
  }

  private readonly seenNumbers = new Set<number>();

  private handleEvent(event: JournalEvent): void {
    this.after = Math.max(this.after ?? 0, event.number);
    if (this.seenNumbers.has(event.number)) return;
    this.seenNumbers.add(event.number);
    document.dispatchEvent(new CustomEvent(JOURNAL, { detail: event }));
    if (!isAbout(this.topics, event)) return;
    this.topics = followRenaming(this.topics, event);
    const isOfMany = this.topics.some((topic) => topic === "home" || topic.startsWith("releases="));
    this.show(describeEvent(event, isOfMany));
    const obstacle = this.topics.includes(`change=${event.change}`) ? describeObstacle(event) : "";
    if (obstacle) disableDecision(obstacle);
  }

  private show(sentence: string): void {
    const more = this.count++;
    const link = createElement("a", { href: location.pathname + location.search }, gettext("Show it"));
    link.addEventListener("click", (click) => {
      click.preventDefault();
      location.reload();
    });
    this.line.replaceChildren(
      createElement("span", {}, sentence, ...(more ? [" ", gettext("And {count} more.", { count: more })] : [])),
      " ",
      link,
    );
  }
}

const FAULT = "decision-fault"; // the note below the first disabled button

/** The change no longer matches what this page would publish or approve: disables its buttons, with the reason. */
function disableDecision(reason: string): void {
  const buttons = document.querySelectorAll<HTMLElement>("[data-publish], [data-approve]");
  for (const act of buttons) disableAction(act, reason);
  const note = document.getElementById(FAULT);
  if (note) note.textContent = reason;
}

function disableAction(act: HTMLElement, reason: string): void {
  const button = act instanceof HTMLButtonElement ? act : replaceByButton(act);
  button.disabled = true;
  button.setAttribute("aria-describedby", FAULT);
  if (document.getElementById(FAULT)) return;
  button.parentElement?.after(createElement("p", { class: "note", id: FAULT }, reason));
}

function replaceByButton(link: HTMLElement): HTMLButtonElement {
  const button = createElement("button", { type: "button", class: "button" }, (link.textContent ?? "").trim());
  link.replaceWith(button);
  return button;
}
