// Events of the journal from the stream: in words, and which pages each concerns.
import { gettext } from "../language.ts";

export interface JournalEvent {
  number: number;
  kind: string;
  namespace: string;
  template: string;
  version: number | null;
  change: number | null;
  by: string;
  former?: string; // of a rename: the previous name
  decision?: string; // of a decision: which one, such as `take_back`
}

const MAX_PAUSE = 60_000;

/** Whether the event concerns a page with these topics (`home`, `template=support/reply`, `change=12`,
 * `releases=support`). A freeze concerns every page of its namespace that can publish something. */
export function isAbout(topics: string[], event: JournalEvent): boolean {
  return topics.some(
    (topic) =>
      topic === "home" ||
      topic === `template=${event.template}` ||
      (Boolean(event.former) && topic === `template=${event.former}`) ||
      topic === `change=${event.change}` ||
      (topic === `releases=${event.namespace}` && event.kind.startsWith("release.")) ||
      (event.kind.startsWith("freeze.") &&
        (topic === `releases=${event.namespace}` || topic.startsWith(`template=${event.namespace}/`))),
  );
}

/** The topics of a page after the event: for a renamed template also its new name. */
export function followRenaming(topics: string[], event: JournalEvent): string[] {
  const isRenamed = event.former && topics.includes(`template=${event.former}`);
  return isRenamed ? [...topics, `template=${event.template}`] : topics;
}

/** The event as a sentence; `withName` includes the template, for pages about several. */
export function describeEvent(event: JournalEvent, withName: boolean): string {
  const { by, namespace } = event;
  const template = withName ? event.template : "";
  const values = { by, namespace, template, version: event.version ?? "", change: event.change ?? "" };
  switch (event.kind) {
    case "version.saved":
      return template
        ? gettext("{by} saved v{version} of {template}.", values)
        : gettext("{by} saved v{version}.", values);
    case "samples.saved":
      return template ? gettext("{by} saved samples of {template}.", values) : gettext("{by} saved samples.", values);
    case "label.moved":
      if (event.version === null)
        return template
          ? gettext("{by} removed a label of {template}.", values)
          : gettext("{by} removed a label.", values);
      return template
        ? gettext("{by} moved a label to v{version} of {template}.", values)
        : gettext("{by} moved a label to v{version}.", values);
    case "change.proposed":
      return template
        ? gettext("{by} opened change {change} of {template}.", values)
        : gettext("{by} opened change {change}.", values);
    case "change.headed":
      return template
        ? gettext("{by} proposed a newer version in change {change} of {template}.", values)
        : gettext("{by} proposed a newer version in change {change}.", values);
    case "change.scheduled":
      return template
        ? gettext("{by} scheduled change {change} of {template}.", values)
        : gettext("{by} scheduled change {change}.", values);
    case "comment.added":
      return template
        ? gettext("{by} commented on change {change} of {template}.", values)
        : gettext("{by} commented on change {change}.", values);
    case "rollout.started":
      return template
        ? gettext("{by} started a rollout of {template}.", values)
        : gettext("{by} started a rollout.", values);
    case "rollout.stepped":
      return template
        ? gettext("{by} moved a rollout of {template} to its next step.", values)
        : gettext("{by} moved a rollout to its next step.", values);
    case "rollout.stopped":
      return template
        ? gettext("{by} stopped a rollout of {template}.", values)
        : gettext("{by} stopped a rollout.", values);
    case "change.decided":
      if (event.decision === "take_back")
        return template
          ? gettext("{by} took a decision on change {change} of {template} back.", values)
          : gettext("{by} took a decision on change {change} back.", values);
      return template
        ? gettext("{by} reviewed change {change} of {template}.", values)
        : gettext("{by} reviewed change {change}.", values);
    case "comment.edited":
      return template
        ? gettext("{by} edited a comment in change {change} of {template}.", values)
        : gettext("{by} edited a comment in change {change}.", values);
    case "comment.deleted":
      return template
        ? gettext("{by} deleted a comment in change {change} of {template}.", values)
        : gettext("{by} deleted a comment in change {change}.", values);
    case "thread.resolved":
      return template
        ? gettext("{by} resolved a thread in change {change} of {template}.", values)
        : gettext("{by} resolved a thread in change {change}.", values);
    case "review.requested":
      return template
        ? gettext("{by} asked for a review of change {change} of {template}.", values)
        : gettext("{by} asked for a review of change {change}.", values);
    case "change.unscheduled":
      return template
        ? gettext("{by} ended the schedule of change {change} of {template}.", values)
        : gettext("{by} ended the schedule of change {change}.", values);
    case "change.withdrawn":
      return template
        ? gettext("{by} withdrew change {change} of {template}.", values)
        : gettext("{by} withdrew change {change}.", values);
    case "change.reopened":
      return template
        ? gettext("{by} reopened change {change} of {template}.", values)
        : gettext("{by} reopened change {change}.", values);
    case "release.commented":
      return gettext("{by} commented on a release of {namespace}.", values);
    case "release.scheduled":
      return gettext("{by} scheduled a release of {namespace}.", values);
    case "release.changed":
      return gettext("{by} changed a release of {namespace}.", values);
    case "release.published":
      return gettext("{by} published a release of {namespace}.", values);
    case "release.withdrawn":
      return gettext("{by} withdrew a release of {namespace}.", values);
    case "release.rolled_back":
      return gettext("{by} rolled back a release of {namespace}.", values);
    case "freeze.set":
      return gettext("{by} set a freeze in {namespace}.", values);
    case "freeze.removed":
      return gettext("{by} removed a freeze of {namespace}.", values);
    case "template.renamed":
      return gettext("{by} renamed a template to {name}.", { by, name: event.template });
    case "template.archived":
      return template ? gettext("{by} archived {template}.", values) : gettext("{by} archived the template.", values);
    case "template.unarchived":
      return template ? gettext("{by} restored {template}.", values) : gettext("{by} restored the template.", values);
    case "version.redacted":
      return template
        ? gettext("{by} redacted v{version} of {template}.", values)
        : gettext("{by} redacted v{version}.", values);
    default:
      return describeUnknownEvent(values);
  }
}

function describeUnknownEvent(values: { by: string; namespace: string; template: string }): string {
  if (values.namespace)
    return values.template
      ? gettext("{by} changed something of {template} in {namespace}.", values)
      : gettext("{by} changed something in {namespace}.", values);
  return values.template
    ? gettext("{by} changed something of {template}.", values)
    : gettext("{by} changed something.", values);
}

/** The delay in ms before reconnecting after so many failures, with jitter so that clients don't reconnect
 * simultaneously. */
export function pauseAfter(failures: number, chance = Math.random()): number {
  return Math.min(MAX_PAUSE, 1000 * 2 ** Math.min(failures, 10)) * (0.75 + chance / 2);
}

/** Why a change can't be published as this page shows it; empty if it can. */
export function describeObstacle(event: JournalEvent): string {
  if (event.kind === "change.headed")
    return gettext("{by} proposed a newer version in this change. Show it first.", { by: event.by });
  if (event.kind === "change.withdrawn") return gettext("{by} withdrew this change.", { by: event.by });
  if (event.kind === "label.moved" && event.change !== null)
    return gettext("{by} published this change.", { by: event.by });
  return "";
}
