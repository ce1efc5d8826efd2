// Events of the journal in words, and the pages they concern.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEvent, describeObstacle, isAbout, type JournalEvent, pauseAfter } from "../src/app/live_events.ts";

const saved: JournalEvent = {
  number: 7,
  kind: "version.saved",
  namespace: "support",
  template: "support/reply",
  version: 5,
  change: null,
  by: "reviewer",
};

test("a page is told of its own template and change, and home of everything", () => {
  assert.equal(isAbout(["template=support/reply"], saved), true);
  assert.equal(isAbout(["template=support/other", "change=12"], saved), false);
  assert.equal(isAbout(["change=12"], { ...saved, change: 12 }), true);
  assert.equal(isAbout(["home"], saved), true);
});

test("the page of a release is told of its templates and of releases of its namespace", () => {
  const topics = ["releases=support", "template=support/reply"];
  assert.equal(isAbout(topics, saved), true);
  assert.equal(isAbout(topics, { ...saved, template: "support/other" }), false);
  const commented = { ...saved, kind: "release.commented", template: "", version: null };
  assert.equal(isAbout(topics, commented), true);
  assert.equal(isAbout(topics, { ...commented, namespace: "sales" }), false);
  assert.equal(describeEvent(commented, true), "reviewer commented on a release of support.");
});

test("an event is a sentence that names who did what", () => {
  assert.equal(describeEvent(saved, false), "reviewer saved v5.");
  assert.equal(describeEvent(saved, true), "reviewer saved v5 of support/reply.");
  assert.equal(
    describeEvent({ ...saved, kind: "rollout.started" }, true),
    "reviewer started a rollout of support/reply.",
  );
  assert.equal(
    describeEvent({ ...saved, kind: "comment.added", change: 12 }, false),
    "reviewer commented on change 12.",
  );
  assert.equal(describeEvent({ ...saved, kind: "of.tomorrow" }, false), "reviewer changed something in support.");
});

test("a newer version in the change is a reason not to publish, and a remark is none", () => {
  assert.match(describeObstacle({ ...saved, kind: "change.headed", change: 12 }), /newer version/);
  assert.equal(describeObstacle({ ...saved, kind: "change.decided", change: 12 }), "");
});

test("pauses grow to a minute and are never the same for all", () => {
  assert.equal(pauseAfter(0, 0.5), 1000);
  assert.equal(pauseAfter(3, 0.5), 8000);
  assert.equal(pauseAfter(50, 0.5), 60_000);
  assert.ok(pauseAfter(3, 0) < pauseAfter(3, 1));
});
