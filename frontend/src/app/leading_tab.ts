// One tab of the browser leads: it asks the server for what all tabs of their kind show, and passes it on. A browser opens
// only six connections to one server, so a stream of each tab would leave none for pages.

/**
 * Calls `connect` as soon as no other tab of this browser leads under this name, and leads until `signal` aborts. Over
 * plain http there are no locks: each tab has its own stream.
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
