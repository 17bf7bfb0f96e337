// PL-032 names the minimum that counts at the moment: that of a schedule, where one is higher.
import type { Decision } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { known, type Reading, unknown } from "../src/index.ts";
import { condition, cpuSamples, decisionOf, examine, podsOf, said, wla } from "./world.ts";

describe("PL-032 of an object with schedules", () => {
  const object = wla({
    spec: {
      minReplicas: 1,
      maxReplicas: 10,
      schedules: [{ name: "day", start: "0 8 * * *", minReplicas: 4 }],
    },
    conditions: [condition("ScalingLimited", "True", "TooFewReplicas")],
  });
  const decided = (minReplicas: number): Decision => {
    const own = { minReplicas: 1, maxReplicas: 10 };
    const active =
      minReplicas > 1
        ? [
            { name: "day", floor: minReplicas },
            { name: "cap", ceiling: 9 },
          ]
        : [];
    const step = { kind: "schedules", own, minReplicas, maxReplicas: 9, active, isWithoutMetrics: false };
    const decision = decisionOf(object, { pods: podsOf(3), samples: [cpuSamples([10, 10, 10])] });
    return { ...decision, trace: [step as Decision["trace"][number], ...decision.trace] };
  };
  const found = (decision: Reading<Decision>) =>
    examine("PL-032", { object, facts: { decision } }).findings.map(
      (finding) => `${said(finding)} → ${finding.fix}`,
    );

  test("the floor that counts is that of the schedule, which is named", () => {
    expect(found(known(decided(4)))).toEqual([
      "the replicas are at the floor of day (no problem); ScalingLimited of default/shop says TooFewReplicas: metrics call for fewer than the 4 of its schedules; day at least 4 replicas → nothing to do: metrics call for fewer replicas than its schedules' current floor of 4; lower the floor if fewer are enough",
    ]);
  });

  test("where none holds now, minReplicas counts; where nothing is known, both are said", () => {
    expect(found(known(decided(1)))[0]).toContain("fewer than minReplicas 1 →");
    expect(found(unknown("no decision"))[0]).toContain(
      "fewer than minReplicas 1, or than the floor of a schedule →",
    );
  });
});
