// What the server tells of the journal, in words, and for which page it is.

export interface JournalEvent {
  number: number;
  kind: string;
  namespace: string;
  template: string;
  version: number | null;
  change: number | null;
  by: string;
}

const LONGEST_PAUSE = 60_000;

/** Whether a page with these topics (`home`, `template=support/reply`, `change=12`) is about the event. */
export function isAbout(topics: string[], event: JournalEvent): boolean {
  return topics.some(
    (topic) => topic === "home" || topic === `template=${event.template}` || topic === `change=${event.change}`,
  );
}

/** The event as a sentence; `withName` adds which template, for pages that are about many. */
export function describeEvent(event: JournalEvent, withName: boolean): string {
  const template = withName && event.template ? ` of ${event.template}` : "";
  return `${event.by} ${describeAct(event)}${template}.`;
}

/** The pause in ms before connecting again after so many failures, with a little chance so that not all come at once. */
export function pauseAfter(failures: number, chance = Math.random()): number {
  return Math.min(LONGEST_PAUSE, 1000 * 2 ** Math.min(failures, 10)) * (0.75 + chance / 2);
}

/** Why a change can't be published as this page shows it, or nothing. */
export function describeObstacle(event: JournalEvent): string {
  if (event.kind === "change.headed") return `${event.by} proposed a newer version in this change. Show it first.`;
  if (event.kind === "change.withdrawn") return `${event.by} withdrew this change.`;
  if (event.kind === "label.moved" && event.change !== null) return `${event.by} published this change.`;
  return "";
}

function describeAct(event: JournalEvent): string {
  const change = `change ${event.change}`;
  switch (event.kind) {
    case "version.saved":
      return `saved v${event.version}`;
    case "samples.saved":
      return "saved samples";
    case "label.moved":
      return event.version === null ? "removed a label" : `moved a label to v${event.version}`;
    case "change.proposed":
      return `opened ${change}`;
    case "change.headed":
      return `proposed a newer version in ${change}`;
    case "change.scheduled":
      return `scheduled ${change}`;
    case "comment.added":
      return `commented on ${change}`;
    case "rollout.started":
      return "started a rollout";
    case "rollout.stepped":
      return "took a rollout one step on";
    case "rollout.stopped":
      return "stopped a rollout";
    case "change.decided":
      return `decided on ${change}`;
    case "change.withdrawn":
      return `withdrew ${change}`;
    case "change.reopened":
      return `reopened ${change}`;
    case "template.archived":
      return "archived the template";
    case "template.unarchived":
      return "restored the template";
    case "version.redacted":
      return `redacted v${event.version}`;
    default:
      return event.namespace ? `changed something in ${event.namespace}` : "changed something";
  }
}
