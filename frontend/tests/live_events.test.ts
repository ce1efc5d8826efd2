// Events of the journal in words, and the pages they concern.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeEvent,
  describeObstacle,
  followRenaming,
  isAbout,
  type JournalEvent,
  pauseAfter,
} from "../src/app/live_events.ts";

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

test("a freeze is told on every page of its namespace that can publish", () => {
  const frozen = { ...saved, kind: "freeze.set", template: "", version: null };
  for (const topic of ["template=support/reply", "releases=support", "home"]) {
    assert.equal(isAbout([topic], frozen), true);
    assert.equal(isAbout([topic], { ...frozen, kind: "freeze.removed" }), true);
  }
  assert.equal(isAbout(["template=sales/reply", "releases=sales", "change=12"], frozen), false);
  assert.equal(describeEvent(frozen, false), "reviewer set a freeze in support.");
  assert.equal(describeEvent({ ...frozen, kind: "freeze.removed" }, true), "reviewer removed a freeze of support.");
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

test("a page that is open on a former name is told of the renaming, and of the new name from then on", () => {
  const renamed = { ...saved, kind: "template.renamed", template: "support/answer", former: "support/reply" };
  const topics = ["template=support/reply"];
  assert.equal(isAbout(topics, renamed), true);
  assert.equal(isAbout(["template=support/other"], renamed), false);
  assert.equal(isAbout(["template="], { ...saved, former: "" }), false);
  assert.equal(describeEvent(renamed, false), "reviewer renamed a template to support/answer.");
  const followed = followRenaming(topics, renamed);
  assert.equal(isAbout(followed, { ...saved, template: "support/answer" }), true);
  assert.deepEqual(followRenaming(topics, saved), topics);
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
  const about = { ...saved, change: 9 };
  assert.equal(describeEvent({ ...about, kind: "change.decided" }, false), "reviewer reviewed change 9.");
  const back = { ...about, kind: "change.decided", decision: "take_back" };
  assert.equal(describeEvent(back, false), "reviewer took a decision on change 9 back.");
  assert.equal(describeEvent({ ...about, kind: "comment.edited" }, false), "reviewer edited a comment in change 9.");
  assert.equal(describeEvent({ ...about, kind: "comment.deleted" }, false), "reviewer deleted a comment in change 9.");
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
