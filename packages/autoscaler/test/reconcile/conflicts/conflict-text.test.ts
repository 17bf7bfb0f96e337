import type { Decision } from "@plimsoll/core";
import { expect, test } from "vitest";
import type { Contest } from "../../../src/reconcile/conflicts/conflict.ts";
import {
  contestText,
  withContest,
  withoutContest,
  yieldedText,
} from "../../../src/reconcile/conflicts/conflict-text.ts";

const sinceMs = Date.parse("2026-11-22T10:00:00Z");
const contest: Contest = {
  by: "argocd",
  sinceMs,
  lastMs: sinceMs,
  count: 3,
  highest: 5,
  nextWriteMs: sinceMs + 60_000,
  quietMs: sinceMs + 120_000,
};
const note = "argocd changed the replicas back 3 times since 2026-11-22T10:00:00Z";
const able = (message: string, status = "True") => ({
  type: "AbleToScale",
  status,
  reason: "ReadyForNewScale",
  message,
});
const other = { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message: "fine" };
const decisionWith = (condition: object) =>
  ({ status: { conditions: [condition, other] }, statusChanged: false }) as object as Decision;

test("who undoes our replicas, how often, since when, when we write again, and what helps", () => {
  expect(contestText(contest, contest.nextWriteMs)).toBe(
    `${note}; next attempt at 2026-11-22T10:01:00Z. Remove spec.replicas from the manifest that argocd applies`,
  );
});

test("to whom we yielded, how often it wrote, and when we take over", () => {
  const yielded = {
    by: "keda",
    sinceMs,
    lastMs: sinceMs,
    periodMs: 15_000,
    seen: undefined,
    reclaim: undefined,
  };
  expect(yieldedText({ ...yielded, count: 1 })).toMatch(
    /^keda has written the status once since 2026-11-22T10:00:00Z; this controller only watches until 2026-11-22T10:00:45Z, or longer if keda writes again$/,
  );
  expect(yieldedText({ ...yielded, count: 2 })).toContain("2 times");
});

test("a lasting contest is added to AbleToScale, and taken out again for the math", () => {
  const noted = withContest(decisionWith(able("ready")), contest, undefined);
  expect(noted.status.conditions).toEqual([able(`ready. Another client: ${note}`), other]);
  expect(noted.statusChanged).toBe(true);
  expect(withoutContest(noted.status as never)?.conditions).toEqual([able("ready"), other]);
  const again = withContest(decisionWith(able("ready")), contest, noted.status);
  expect(again.statusChanged).toBe(false);
  const over = withContest(decisionWith(able("ready")), undefined, noted.status);
  expect(over.status.conditions).toEqual([able("ready"), other]);
  expect(over.statusChanged).toBe(true);
  const changed = { ...decisionWith(able("ready")), statusChanged: true };
  expect(withContest(changed, contest, noted.status).statusChanged).toBe(true);
  for (const stored of [{}, { conditions: null }, { conditions: [other] }])
    expect(withContest(decisionWith(able("ready")), contest, stored as never).statusChanged).toBe(true);
});

test("a single overwrite, and a target that cannot be scaled, stay as they are", () => {
  const decision = decisionWith(able("ready"));
  expect(withContest(decision, { ...contest, count: 1 }, undefined)).toBe(decision);
  const failing = decisionWith(able("no route", "False"));
  expect(withContest(failing, contest, undefined).status.conditions).toEqual([
    able("no route", "False"),
    other,
  ]);
  const status = { conditions: [able("ready"), other] } as never;
  expect(withoutContest(status)).toBe(status);
  expect(withoutContest(undefined)).toBeUndefined();
  const unlikely = { ...other, message: `fine. Another client: ${note}` };
  for (const conditions of [null, [], [unlikely, { type: "AbleToScale" }]]) {
    const unlike = { conditions } as never;
    expect(withoutContest(unlike)).toBe(unlike);
    expect(withContest(decision, undefined, unlike)).toBe(decision);
  }
});
