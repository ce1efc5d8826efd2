// Streams a reply: server-sent events of one column, converted to actions.
import { gettext } from "../language.ts";
import type { Action } from "./state.ts";
import type { Reply } from "./types.ts";

const LOST = gettext("The connection to the server was lost. The reply may still be written; see Earlier runs.");

/** Follows one reply until it ends; returns a function that stops following. The browser reopens a dropped connection,
 * and the server then sends the whole text so far in one event. */
export function followReply(id: Reply["id"], dispatch: (action: Action) => void): () => void {
  const source = new EventSource(`/live/playground/${encodeURIComponent(id)}`);
  const listen = (name: string, act: (data: Record<string, unknown>) => void): void => {
    source.addEventListener(name, (event) => {
      const text = (event as MessageEvent<unknown>).data;
      if (typeof text !== "string") return; // the browser's own `error` event has no data
      act(JSON.parse(text) as Record<string, unknown>);
    });
  };
  const end = (action: Action): void => {
    source.close();
    dispatch(action);
  };
  listen("text", (data) => {
    dispatch({ type: "textCame", id, text: String(data.text ?? ""), isWhole: data.replace === true });
  });
  listen("tool", (data) => {
    dispatch({ type: "toolCame", id, tool: { name: String(data.name ?? ""), arguments: data.arguments } });
  });
  listen("waiting", (data) => {
    const until = typeof data.seconds === "number" ? Date.now() + data.seconds * 1000 : null;
    dispatch({ type: "waitingCame", id, detail: String(data.detail ?? gettext("The model is busy")), until });
  });
  for (const name of ["done", "stopped", "failed"]) {
    listen(name, (data) => {
      const reply = "state" in data ? data : data.column;
      if (reply) end({ type: "ended", id, reply: reply as unknown as Reply });
      else if (name === "failed") {
        const retryAfter = typeof data.retry_after === "number" ? data.retry_after : null;
        end({ type: "lost", id, detail: String(data.detail ?? LOST), retryAfter });
      }
    });
  }
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) dispatch({ type: "lost", id, detail: LOST, retryAfter: null });
  });
  return () => source.close();
}
