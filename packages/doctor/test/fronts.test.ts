import { type DecideInput, decide, type HorizontalPodAutoscaler, recordDecision } from "@plimsoll/core";
import { expect, test } from "vitest";
import { diagnoseRecorded, type FactReadings, known, unknown } from "../src/index.ts";
import { cases } from "./cases/cases.ts";
import { examine, nowMs, podsOf } from "./world.ts";

const world = cases["PL-056"]?.positive ?? {};
const changed = (fact: object, samples: FactReadings["samples"] = known([{ samples: { value: "0" } }])) => {
  const [front] = world.facts?.fronts?.ok === true ? world.facts.fronts.value : [];
  if (front === undefined) throw new Error("no front");
  const facts = { ...world.facts, fronts: known([{ ...front, ...fact }]), samples };
  return examine("PL-056", { ...world, facts }).findings;
};

test.each([
  ["several sources have such series, and one of them serves it", { sources: ["Contour", "Traefik"] }],
  ["nobody knows who serves it", { servedBy: [] }],
  ["nobody knows whose series they are", { sources: [] }],
])("nothing is said where %s", (_, fact) => {
  expect(changed(fact)).toEqual([]);
});

test("traffic that is counted passes there, whoever serves the class", () => {
  expect(changed({})).toHaveLength(1);
  expect(changed({}, known([{ samples: { value: "100m" } }]))).toEqual([]);
});

test("a metric that nobody serves has no traffic; one that can't be read may have some", () => {
  const failed = (status: number) => known([{ samples: { error: "no" }, status }]);
  expect(changed({}, failed(404))).toHaveLength(1);
  expect(changed({}, failed(403))).toEqual([]);
  expect(changed({}, unknown("forbidden"))).toEqual([]);
});

test.each([
  ["HTTPRoute", "plimsoll metrics setup httproute/web -n default prints them"],
  ["Gateway", "plimsoll metrics setup deployment/shop -n default prints them"],
])("the advice for a %s is a command that setup has", (kind, command) => {
  expect(changed({ kind })[0]?.fix).toContain(command);
});

test("a recorded decision has the finding, too, where the classes were read", () => {
  const object = world.object ?? {};
  const input: DecideInput = {
    nowMs,
    hpa: object as object as HorizontalPodAutoscaler,
    scale: { ok: true, specReplicas: 3, statusReplicas: 3, selector: "app=shop" },
    pods: { ok: true, pods: podsOf(3) },
    samples: [{ value: "0" }],
  };
  const result = decide(input, undefined);
  const record = recordDecision({ input, memory: undefined, result, applied: { outcome: "nothing-to-do" } });
  const recorded = { object, decision: result.decision, record, nowMs };
  const ids = (fronts?: FactReadings["fronts"]) =>
    diagnoseRecorded({ ...recorded, fronts }).map(({ id }) => id);
  expect(ids()).not.toContain("PL-056");
  expect(ids(world.facts?.fronts)).toContain("PL-056");
});
