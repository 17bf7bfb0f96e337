import {
  type DecideInput,
  type DecisionRecord,
  decide,
  decodeRecord,
  diffDecisions,
  encodeRecord,
  type MetricSpec,
  recordDecision,
  replay,
} from "@plimsoll/core";
import { readQueries, withQueries } from "@plimsoll/core/queries";
import type { ObjectKey } from "@plimsoll/decisions";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Edits, editsFrom, noEdits, paramsOf } from "../../src/what-if/edits.ts";
import { patchCommand } from "../../src/what-if/patch.ts";
import { play } from "../../src/what-if/play.ts";
import { unreadyCount, withUnready } from "../../src/what-if/pods.ts";
import { metricTraces, recordedResult, whatIf } from "../../src/what-if/what-if.ts";
import { cpu, fixtureObjects } from "../fixtures/objects.ts";
import { historyOf } from "../fixtures/world.ts";

const histories = fixtureObjects.map(historyOf);
/** As the page reads them. */
const records = histories.flatMap((history) =>
  history.records.map((record) => ({ history, record: decodeRecord(encodeRecord(record)) })),
);

function recordOf(name: string): DecisionRecord {
  const record = histories.find((history) => history.name === name)?.records.at(-1);
  if (record === undefined) throw new Error(`no record of ${name}`);
  return record;
}

const shopKey = { resource: "horizontalpodautoscalers", namespace: "default", name: "shop" } as const;
const tried = (record: DecisionRecord, edits: Partial<Edits>) =>
  whatIf(record, recordedResult(record), { ...noEdits, ...edits });

test.each(records)("without edits the decision of record %# is the recorded one", ({ record }) => {
  const made = tried(record, {});
  expect(made.changed).toEqual(replay(record));
  expect(made.differences).toEqual([]);
  expect(diffDecisions(record.result.decision, made.changed.decision)).toEqual([]);
});

describe("a value that is set is the value that the metric has then", () => {
  test("percent, whatever the pods had", () => {
    const record = recordOf("shop");
    assertProperty(
      fc.property(fc.integer({ min: 0, max: 400 }), (percent) => {
        const made = tried(record, { values: { 0: String(percent) } });
        expect(made.problems).toEqual([]);
        expect(metricTraces(made.changed)[0]?.first?.usage).toBe(String(percent));
      }),
      { numRuns: 200 },
    );
  });

  test("a total", () => {
    const made = tried(recordOf("shop"), { values: { 1: "270" } });
    expect(made.changed.decision.desiredReplicas).toBe(9);
    expect(made.differences[0]).toMatchObject({ step: "metric", metric: 1 });
  });

  test("percent of the pods that are ready then", () => {
    const made = tried(recordOf("shop"), { unready: 5, values: { 0: "80" } });
    expect(made.problems).toEqual([]);
    expect(metricTraces(made.changed)[0]).toMatchObject({
      counts: { ready: 3 },
      first: { usage: "80" },
    });
  });

  test("also where limits had decided without a look at the metrics", () => {
    const record = recordOf("shop");
    const { spec } = record.input.hpa;
    const input = { ...record.input, hpa: { ...record.input.hpa, spec: { ...spec, maxReplicas: 3 } } };
    const { memory } = record;
    const result = decide(input, memory);
    const limited = recordDecision({ input, memory, result, applied: { outcome: "scaled" } });
    expect(metricTraces(recordedResult(limited))).toEqual([]);
    const made = tried(limited, { max: 40, values: { 1: "270" } });
    expect([made.problems, made.changed.decision.desiredReplicas]).toEqual([[], 9]);
  });

  test("nothing that is not a quantity", () => {
    const made = tried(recordOf("shop"), { values: { 0: "many" }, targets: { 1: "-3" }, tolerance: "x" });
    expect(made.problems).toHaveLength(3);
    expect(made.differences).toEqual([]);
  });

  test("also where the metric could not be read", () => {
    const made = tried(recordOf("import"), { values: { 0: "500" } });
    expect([made.problems, made.changed.decision.desiredReplicas]).toEqual([[], 5]);
  });

  test.each<[string, MetricSpec, string, Readonly<Record<string, string>>]>([
    ["percent", cpu(60), "80", { usage: "80", total: "3200m" }],
    [
      "cpu of each pod",
      { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "300m" } } },
      "200m",
      { usage: "200m" },
    ],
    [
      "a container",
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "app",
          target: { type: "AverageValue", averageValue: "300m" },
        },
      },
      "200m",
      { usage: "200m" },
    ],
    [
      "pods",
      {
        type: "Pods",
        pods: { metric: { name: "packets" }, target: { type: "AverageValue", averageValue: "1k" } },
      },
      "1500",
      { usage: "1500" },
    ],
    [
      "an object",
      {
        type: "Object",
        object: {
          describedObject: { kind: "Service", name: "main" },
          metric: { name: "requests" },
          target: { type: "Value", value: "400" },
        },
      },
      "800",
      { total: "800" },
    ],
  ])("%s that could not be read", (_, spec, value, first) => {
    const { input, memory } = recordOf("shop");
    const unread: DecideInput = {
      ...input,
      hpa: { ...input.hpa, spec: { ...input.hpa.spec, metrics: [spec] } },
      samples: [{ error: "not there" }],
    };
    const result = decide(unread, memory);
    const made = tried(recordDecision({ input: unread, memory, result, applied: { outcome: "shadow" } }), {
      values: { 0: value },
    });
    expect(made.problems).toEqual([]);
    expect(metricTraces(made.changed)[0]?.first).toMatchObject(first);
    expect(metricTraces(made.changed)[0]?.error).toBeUndefined();
  });
});

test.each<[Partial<Edits>, number]>([
  [{ targets: { 0: "30" } }, 10],
  [{ min: 9 }, 9],
  [{ max: 6 }, 6],
  [{ downWindowSeconds: 0 }, 5],
  [{ tolerance: "0.5", downWindowSeconds: 0 }, 8],
])("shop with %j would have %i replicas", (edits, desired) => {
  expect(tried(recordOf("shop"), edits).changed.decision.desiredReplicas).toBe(desired);
});

test("pods become ready and not, those that were not first", () => {
  const { pods } = recordOf("checkout").input;
  expect(unreadyCount(pods)).toBe(2);
  for (const count of [0, 1, 2, 5]) expect(unreadyCount(withUnready(pods, count))).toBe(count);
  const made = tried(recordOf("checkout"), { unready: 0 });
  expect(metricTraces(made.changed)[0]?.counts?.unready).toBe(0);
});

test("edits are in the address, and come back from it", () => {
  const edits: Edits = {
    values: { 0: "34", 11: "1.5Gi" },
    targets: { 1: "30" },
    min: 2,
    unready: 0,
    tolerance: "0.1",
  };
  expect(editsFrom(paramsOf(edits))).toEqual(edits);
  expect(editsFrom({ min: "-1", max: "1e9", window: "x", v: "1", at: "…" })).toEqual(noEdits);
  expect(paramsOf(noEdits, edits)).toEqual({ v0: "", v11: "", t1: "", min: "", unready: "", tolerance: "" });
});

const patchOf = (object: ObjectKey, record: DecisionRecord, edits: Edits) =>
  patchCommand({ object, record, edits, after: tried(record, edits).input.hpa.spec });

test("the patch has what is edited of the specification, as one word of a shell", () => {
  const record = recordOf("shop");
  expect(patchOf(shopKey, record, { ...noEdits, values: { 0: "90" } })).toBeUndefined();
  expect(patchOf(shopKey, record, { ...noEdits, max: 80, downWindowSeconds: 60 })).toBe(
    `kubectl patch hpa shop -n default --type=merge -p '{"spec":{"maxReplicas":80,"behavior":{"scaleDown":{"stabilizationWindowSeconds":60}}}}'`,
  );
  const odd = patchOf({ ...shopKey, name: "it's; rm" }, record, { ...noEdits, min: 3 });
  expect(odd).toContain(String.raw`hpa 'it'\''s; rm' -n default`);
});

test("the patch of a query is the entry as it was written, with its other target", () => {
  const target = { type: "AverageValue", averageValue: "100" };
  const written = [{ type: "Query", query: { promql: "sum(a)", target } }];
  const recorded = recordOf("shop");
  const metrics = withQueries(written, readQueries("shop", written)) as readonly MetricSpec[];
  const input: DecideInput = {
    ...recorded.input,
    hpa: { ...recorded.input.hpa, spec: { ...recorded.input.hpa.spec, metrics } },
    samples: [{ values: [{ value: "450" }], query: "sum(a)" }],
  };
  const key = { ...shopKey, resource: "workloadautoscalers" } as const;
  const command = patchOf(key, { ...recorded, input }, { ...noEdits, targets: { 0: "50" } });
  expect(command).toContain("kubectl patch wla shop");
  expect(command).toContain(
    '{"metrics":[{"type":"Query","query":{"promql":"sum(a)","target":{"type":"AverageValue","averageValue":"50"}}}]}',
  );
});

test("a patch of metrics keeps their failure policies", () => {
  const recorded = recordOf("shop");
  const failurePolicies = [{ policy: "HoldLast", forSeconds: 600 }] as const;
  const record = { ...recorded, input: { ...recorded.input, failurePolicies } };
  expect(patchOf(shopKey, record, { ...noEdits, targets: { 0: "50" } })).toMatch(
    /"metrics":\[\{.*"onMetricFailure":\{"policy":"HoldLast","forSeconds":600\}\}/,
  );
  const plain = patchOf(shopKey, recorded, { ...noEdits, targets: { 0: "50" } });
  expect(plain).not.toContain("onMetricFailure");
});

test("30 minutes later the window is over, and the replicas are those that are proposed now", () => {
  const record = recordOf("shop");
  const { chart, notes } = play(record, tried(record, {}), { forMs: 1_800_000, periodMs: 15_000 });
  const [replicas] = chart.lines;
  expect(chart.times).toHaveLength(121);
  expect(replicas?.values[0]).toBe(8);
  expect(replicas?.values.at(-1)).toBe(5);
  expect(notes).toEqual([]);
});
