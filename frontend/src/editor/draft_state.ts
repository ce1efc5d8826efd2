// The line in the bar that says when the draft was saved, or why it isn't.
import { createElement, createIcon, formatTimeAgo } from "../dom.ts";
import { gettext } from "../language.ts";

/** How far the draft is saved. */
export interface DraftState {
  /** Milliseconds since the epoch; null if there is no draft. */
  savedAt: number | null;
  /** A sentence about the last refused or failed request, else empty. */
  trouble: string;
  isOffline: boolean;
  isSignedOut: boolean;
  /** Whether this browser stored the text. */
  isKept: boolean;
  /** Whether the draft was saved elsewhere, and the author has to choose. */
  hasNewer: boolean;
}

/** The state without a draft. */
export const NO_DRAFT: Readonly<DraftState> = {
  savedAt: null,
  trouble: "",
  isOffline: false,
  isSignedOut: false,
  isKept: true,
  hasNewer: false,
};

/** Whether there is a draft, or one that couldn't be saved. */
export const isDraftShown = ({ savedAt, trouble }: DraftState): boolean => savedAt !== null || trouble !== "";

export function showDraftState(line: HTMLElement, state: DraftState): void {
  const message = state.hasNewer && !state.trouble ? gettext("Not saved: newer elsewhere") : describeTrouble(state);
  line.classList.toggle("is-bad", message !== "");
  if (message) {
    const link = createElement("a", { href: "/login", target: "_blank" }, gettext("Sign in"));
    line.replaceChildren(createIcon("circle-alert"), message, ...(state.isSignedOut ? [" ", link] : []));
  } else
    line.textContent = state.savedAt === null ? "" : gettext("saved {when}", { when: formatTimeAgo(state.savedAt) });
}

function describeTrouble({ trouble, isOffline, isSignedOut, isKept }: DraftState): string {
  if (isSignedOut) return gettext("Not saved: signed out.");
  if (!isOffline) return trouble;
  return isKept ? gettext("Offline, kept in this browser") : gettext("Offline, not kept in this browser");
}
