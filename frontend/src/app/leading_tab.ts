// Leader election between tabs: the leading tab fetches what all tabs of its kind show, and passes it on. Browsers open
// only six connections to a server, so a stream per tab would leave none for pages.

/**
 * Calls `connect` as soon as no other tab of this browser leads under this name, and leads until `signal` aborts.
 * Without HTTPS there are no locks: each tab has its own stream.
 */
export function leadTabs(name: string, signal: AbortSignal, connect: () => void): void {
  if (!navigator.locks) {
    connect();
    return;
  }
  const untilAborted = () =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", () => resolve());
      connect();
    });
  navigator.locks.request(name, { signal }, untilAborted).catch(() => undefined);
}
