// Summaries, comparisons and explanations of the decisions of vectors, and of random cases as the oracle makes them.
import { readFile } from "node:fs/promises";
import {
  compareWithStatus,
  type DecideInput,
  type DecisionRecord,
  decide,
  decideWithUnknownHistory,
  explainWhyNot,
  headLine,
  type RescaleEvent,
  replay,
  type SemanticsProfile,
  semanticsProfiles,
  summarize,
  whyNot,
} from "@plimsoll/core";
import { expect, test } from "vitest";
import { someCase } from "../src/oracle/generate/case.ts";
import { recordedDecisions } from "../src/oracle/record-check.ts";
import type { VectorCase } from "../src/oracle/vector-file.ts";

const golden = (await Promise.all(semanticsProfiles.map(goldenTrajectories))).flat();
const random = Array.from({ length: 100 }, (_, at) =>
  trajectory(someCase("decision", "explained", at), "1.37"),
);
const trajectories: readonly (readonly DecisionRecord[])[] = [...golden, ...random];
const records = trajectories.flat();

async function goldenTrajectories(release: string): Promise<readonly (readonly DecisionRecord[])[]> {
  const name = release === "1.37" ? "trajectory" : `trajectory-${release}`;
  const text = await readFile(new URL(`../vectors/golden/${name}.json`, import.meta.url), "utf8");
  const { cases } = JSON.parse(text) as { cases: readonly VectorCase[] };
  return cases.slice(0, 40).map((vector) => trajectory(vector, release as SemanticsProfile));
}

function trajectory(vector: VectorCase, semantics: SemanticsProfile): readonly DecisionRecord[] {
  return recordedDecisions(vector, semantics).map(({ record }) => record);
}

test("a summary says what the decision does", () => {
  expect(records.length).toBeGreaterThan(1000);
  for (const record of records) {
    const { decision } = replay(record);
    const { current, desired, proposed, action, decidedBy } = summarize(decision);
    const combined = decision.trace.find((step) => step.kind === "combine");
    expect([current, desired]).toEqual([
      decision.currentReplicas,
      decision.scaleTo ?? decision.currentReplicas,
    ]);
    expect(action === "scale").toBe(decision.scaleTo !== undefined);
    const proposal = combined?.result === undefined ? [proposed, null] : [combined.result, combined.winner];
    expect([proposed, decidedBy]).toEqual(proposal);
    expect(headLine(decision)).toMatch(
      /^(?:Staying at|Scaling from \d+ to|Would scale from \d+ to) \d+ replicas?|^No change: /u,
    );
  }
});

test("a decision agrees with its own status", () => {
  for (const { input, memory, result } of records) {
    const { status } = result.decision;
    if (status.conditions.length === 0) continue;
    expect(compareWithStatus(input, memory, status).verdict).toBe("agrees");
  }
});

test("without the history no decision differs from the status of a controller that knows it", () => {
  const histories = new Map<string, number>();
  for (const steps of trajectories) {
    const rescales: RescaleEvent[] = [];
    for (const { input, result } of steps) {
      const { status, events } = result.decision;
      for (const { reason, message } of events) {
        if (reason === "SuccessfulRescale") rescales.push({ atMs: input.nowMs, message });
      }
      const seen = afterwards(input, result.decision);
      const { memory, history } = decideWithUnknownHistory(seen, rescales);
      const { verdict } = compareWithStatus(seen, memory, status, { isHistoryUnknown: true, rescales });
      expect([
        "agrees",
        "moved",
        "not-comparable",
        ...(status.conditions.length === 0 ? ["lagging"] : []),
      ]).toContain(verdict);
      histories.set(history, (histories.get(history) ?? 0) + 1);
    }
  }
  expect([...histories.keys()].sort()).toEqual([
    "does-not-matter",
    "held-by-present",
    "nothing-held",
    "with-events",
  ]);
});

/** What a client finds that reads the cluster after the decision. */
function afterwards(
  input: DecideInput,
  { scaleTo, status }: DecisionRecord["result"]["decision"],
): DecideInput {
  const { scale, hpa } = input;
  const made = scale.ok && scaleTo !== undefined ? { ...scale, specReplicas: scaleTo } : scale;
  return { ...input, scale: made, hpa: { ...hpa, status } };
}

test("a controller with another tolerance differs by that assumption", () => {
  let differing = 0;
  let named = 0;
  for (const { input, memory } of random.flat()) {
    const options = { ...input.options, tolerance: 0.3 };
    const theirs = decide({ ...input, options }, memory).decision;
    const ours = decide(input, memory).decision;
    const isHeld = theirs.scaleTo === undefined && theirs.outcome.error === "none";
    if (!isHeld || theirs.desiredReplicas === ours.desiredReplicas) continue;
    const { verdict, assumptions } = compareWithStatus(input, memory, theirs.status);
    if (verdict !== "differs") continue;
    differing++;
    if (assumptions.some(({ about }) => about === "tolerance")) named++;
  }
  expect(differing).toBeGreaterThan(10);
  expect(named).toBe(differing);
});

test("whyNot has an answer for every decision", () => {
  const steps = new Set<string>();
  for (const record of records.filter((_, i) => i % 5 === 0)) {
    const { current, desired } = summarize(replay(record).decision);
    for (const n of new Set([current, desired, desired + 1, Math.max(0, desired - 1)])) {
      const found = whyNot(record, n);
      expect(found.is === "decided").toBe(n === desired);
      expect(explainWhyNot(found)).toMatch(
        found.is === "decided" ? /^\d+ replicas?: / : /^Why not \d+: \S.*\.$/mu,
      );
      if (found.is !== "decided") steps.add(found.step);
    }
  }
  expect([...steps]).toEqual(
    expect.arrayContaining(["metrics", "stabilize", "rate", "min", "max", "tolerance", "failed"]),
  );
});
