import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ConversionError, convertHpa, defaultHpa, validateHpa } from "../src/api/index.ts";
import {
  type DecideInput,
  type DecisionRecord,
  decide,
  decodeRecord,
  diffDecisions,
  encodeRecord,
  explain,
  type HpaMemory,
  RecordError,
  recordDecision,
  replay,
  withFailedRescale,
} from "../src/index.ts";
import { parseQuantity, QuantityError } from "../src/quantity/index.ts";
import { withSchedules } from "../src/schedules/index.ts";
import { applyPolicies, type ProposeInput, proposeReplicas, stabilize } from "../src/steps/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  podsMetric,
  podsSamples,
  readyPods,
} from "./fixtures.ts";

const keys = [
  "metadata",
  "spec",
  "status",
  "metrics",
  "type",
  "resource",
  "containerResource",
  "pods",
  "object",
  "external",
  "target",
  "metric",
  "name",
  "averageValue",
  "averageUtilization",
  "value",
  "behavior",
  "scaleUp",
  "scaleDown",
  "policies",
  "selectPolicy",
  "tolerance",
  "conditions",
  "currentMetrics",
  "containers",
  "resources",
  "requests",
  "phase",
  "startTime",
  "samples",
  "values",
  "error",
  "selector",
  "matchLabels",
  "matchExpressions",
  "operator",
  "minReplicas",
  "maxReplicas",
  "deletionTimestamp",
  "initContainers",
  "restartPolicy",
  "annotations",
  "apiVersion",
  "__proto__",
  "constructor",
  "toString",
]; // prettier-ignore

const scalars = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    NaN,
    Infinity,
    -Infinity,
    -0,
    0,
    1,
    -1,
    2 ** 31,
    -(2 ** 31),
    2 ** 53,
    1e300,
    0.5,
    "",
    "cpu",
    "Resource",
    "Pods",
    "External",
    "Object",
    "ContainerResource",
    "Utilization",
    "Value",
    "AverageValue",
    "100m",
    "1Gi",
    "9223372036854775807",
    "-5",
    "1e99999",
    "m",
    "Max",
    "Percent",
    "Running",
    "True",
    "False",
    "Ready",
    "2026-01-01T12:00:00Z",
    "0001-01-01T00:00:00Z",
    "not a time",
    "autoscaling/v1",
    "autoscaling/v2",
    "app=web",
    "a in (",
    10n,
    Symbol.iterator,
  ),
  fc.string(),
  fc.double(),
  fc.date({ noInvalidDate: false }),
);

/** Objects of the API's own field names with anything in them. */
const junk: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...keys), tie("value")), { maxLength: 6 }).map((entries) => {
      const object = {};
      for (const [key, value] of entries) {
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      }
      return object;
    }),
  ),
})).value;

const metric = fc.record(
  {
    type: fc.oneof(fc.constantFrom("Resource", "ContainerResource", "Pods", "Object", "External"), junk),
    resource: junk,
    containerResource: junk,
    pods: junk,
    object: junk,
    external: junk,
  },
  { requiredKeys: ["type"] },
);

const hpa = fc.oneof(
  junk,
  fc.record({
    apiVersion: fc.constantFrom(
      "autoscaling/v1",
      "autoscaling/v2",
      "autoscaling/v2beta1",
      "autoscaling/v2beta2",
    ),
    metadata: junk,
    spec: fc.record({
      scaleTargetRef: junk,
      minReplicas: fc.oneof(fc.nat(), fc.constant(undefined), junk),
      maxReplicas: fc.oneof({ weight: 5, arbitrary: fc.nat() }, { weight: 1, arbitrary: junk }),
      metrics: fc.oneof(fc.array(fc.oneof(metric, junk), { maxLength: 3 }), junk),
      behavior: fc.oneof(fc.record({ scaleUp: junk, scaleDown: junk }), junk),
    }),
    status: junk,
  }),
);

const input = fc.record({
  nowMs: fc.oneof(
    { weight: 1, arbitrary: fc.double() },
    { weight: 9, arbitrary: fc.constant(Date.parse("2026-01-01T12:00:00Z")) },
  ),
  hpa,
  scale: fc.oneof(
    fc.record({ ok: fc.constant(true), specReplicas: scalars, statusReplicas: scalars, selector: scalars }),
    fc.record({ ok: fc.constant(false), message: scalars }),
    junk,
  ),
  pods: fc.oneof(fc.record({ ok: fc.constant(true), pods: fc.array(junk) }), junk),
  samples: fc.oneof(
    fc.array(fc.oneof(fc.record({ pods: fc.array(junk) }), fc.record({ values: fc.array(junk) }), junk)),
    junk,
  ),
  ambiguousWith: junk,
  options: fc.oneof(fc.constant(undefined), fc.record({ tolerance: fc.double({ noNaN: true }) }), junk),
  mode: fc.oneof(fc.constantFrom(undefined, "Active", "Shadow", "Paused"), junk),
  failurePolicies: fc.oneof(
    fc.constant(undefined),
    fc.array(
      fc.oneof(
        fc.record({
          policy: fc.constantFrom("Block", "HoldLast", "Ignore", "Assume", "Fallback", "Other"),
          forSeconds: scalars,
          value: junk,
          replicas: scalars,
        }),
        junk,
      ),
      { maxLength: 3 },
    ),
    junk,
  ),
  schedules: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({
        own: fc.oneof(fc.record({ minReplicas: scalars, maxReplicas: scalars }), junk),
        effective: fc.oneof(fc.record({ minReplicas: scalars, maxReplicas: scalars }), junk),
        isWithoutMetrics: fc.oneof(fc.boolean(), junk),
        state: fc.oneof(
          fc.record({
            active: fc.array(fc.oneof(fc.record({ name: scalars, floor: scalars, untilMs: scalars }), junk)),
            nextMs: scalars,
            conflict: junk,
          }),
          junk,
        ),
        problems: fc.oneof(fc.constant(undefined), junk),
      }),
    },
  ),
});

const events = fc.oneof(fc.array(fc.record({ change: scalars, atMs: scalars })), junk);

/** Memory is plain JSON, whatever it says. */
const memories = fc
  .oneof(
    junk,
    fc.record({
      recommendations: fc.oneof(fc.array(fc.record({ replicas: scalars, atMs: scalars })), junk),
      scaleUpEvents: events,
      scaleDownEvents: events,
      lastGoodSamples: fc.oneof(
        junk,
        fc.dictionary(
          fc.constantFrom('["External","",null,[[],[]],null]', '["Resource","",null,null,null]', "__proto__"),
          junk,
        ),
      ),
      unknownHistory: fc.oneof(fc.record({ lastScaleMs: scalars, untilMs: scalars }), junk),
      unconfirmedScale: fc.oneof(
        fc.record({ replicas: scalars, scaleUpEvents: events, scaleDownEvents: events }),
        junk,
      ),
    }),
  )
  .map((memory) => {
    const text = JSON.stringify(memory, (_, value: unknown) => (typeof value === "bigint" ? 0 : value));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  });

const records = someRecords();

/** Records with every part that a record may have. */
function someRecords(): readonly string[] {
  const metrics = [cpuUtilization(50), podsMetric("10"), externalAverage("10")];
  const decideInput = externalInput("", 2, {
    hpa: hpaOf({
      metrics,
      behavior: { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } },
    }),
    pods: { ok: true, pods: readyPods(2) },
    samples: [cpuSamples(["900m", "800m"]), podsSamples(["1", "2"]), { error: "down" }],
    failurePolicies: [
      { policy: "Assume", value: "5" },
      { policy: "HoldLast", forSeconds: 60 },
      { policy: "Fallback", replicas: 9 },
    ],
  });
  const active = [{ name: "day", floor: 5, untilMs: nowMs + 1000 }];
  const state = { atMs: nowMs, floor: 5, ceiling: undefined, active, nextMs: nowMs + 1000 };
  const shadow = decide({ ...decideInput, mode: "Shadow" });
  const unknownHistory = { lastScaleMs: nowMs - 1000, untilMs: nowMs + 59_000 };
  const down = { error: "down" };
  return [
    recorded(decideInput, undefined),
    recorded({ ...decideInput, samples: [down, down, down] }, { ...shadow.memory, unknownHistory }),
    recorded(withSchedules({ ...decideInput, mode: "Paused" }, state), shadow.memory),
  ];
}

function recorded(decideInput: DecideInput, memory: HpaMemory | undefined): string {
  const result = decide(decideInput, memory);
  return encodeRecord(recordDecision({ input: decideInput, memory, result, applied: { outcome: "scaled" } }));
}

/** Replaces the value at a place that a number picks. */
function replaceAt(root: unknown, at: number, value: unknown): void {
  let node = root;
  for (let left = at; typeof node === "object" && node !== null; ) {
    const names = Object.keys(node);
    const name = names[left % names.length];
    if (name === undefined) return;
    left = Math.floor(left / names.length);
    const fields = node as Record<string, unknown>;
    const inner = fields[name];
    if (typeof inner !== "object" || inner === null || left % 4 === 3) {
      fields[name] = value;
      return;
    }
    node = inner;
  }
}

function isFields(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A symbol has no form in JSON, and a date has another one where an object is expected. */
function recordable(value: unknown): unknown {
  if (typeof value === "symbol" || value instanceof Date) return "odd";
  if (Array.isArray(value)) return value.map(recordable);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, recordable(item)]));
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

const runs = { numRuns: 2000 };

test("decide takes any data, and its result survives JSON and an explanation", () => {
  assertProperty(
    fc.property(input, memories, (given, memory) => {
      const result = decide(given as unknown as DecideInput, memory as HpaMemory);
      expect(typeof explain(result.decision)).toBe("string");
      expect(typeof explain(result.decision, "markdown")).toBe("string");
      expect(JSON.parse(JSON.stringify(result.memory))).toEqual(result.memory);
      expect(withFailedRescale(result, "conflict").decision.scaleTo).toBeUndefined();
      expect(Number.isInteger(result.decision.status.desiredReplicas)).toBe(true);
    }),
    runs,
  );
});

test("a record of any decision replays to the same bytes", () => {
  assertProperty(
    fc.property(input, memories.filter(isFields), (given, memory) => {
      const made = { input: recordable(given) as DecideInput, memory: memory as HpaMemory };
      const result = decide(made.input, made.memory);
      const record = recordDecision({ ...made, result, applied: { outcome: "nothing-to-do" } });
      const text = encodeRecord(record);
      expect(encodeRecord(decodeRecord(text))).toBe(text);
      const replayed = replay(decodeRecord(text));
      expect(JSON.stringify(replayed.decision)).toBe(JSON.stringify(result.decision));
      expect(diffDecisions(result.decision, replayed.decision)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("a record with any change to it is replayed, or is refused with its path", () => {
  const change = fc.tuple(fc.nat(), junk);
  assertProperty(
    fc.property(
      fc.constantFrom(...records),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (text, changes) => {
        const changed: unknown = JSON.parse(text);
        for (const [at, value] of changes) replaceAt(changed, at, value);
        let record: DecisionRecord;
        try {
          record = decodeRecord(
            JSON.stringify(changed, (_, value: unknown) => (typeof value === "bigint" ? 0 : value)),
          );
        } catch (error) {
          if (error instanceof RecordError) return;
          throw error;
        }
        const replayed = replay(record);
        expect(typeof explain(replayed.decision)).toBe("string");
        expect(Array.isArray(diffDecisions(record.result.decision, replayed.decision))).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

test("the single steps take any data", () => {
  assertProperty(
    fc.property(
      metric,
      junk,
      junk,
      fc.record({ nowMs: fc.double(), behavior: junk }),
      (spec, samples, pods, rest) => {
        const proposal = proposeReplicas({ ...rest, metric: spec, samples, pods } as unknown as ProposeInput);
        expect(typeof proposal.ok).toBe("boolean");
        const stabilized = stabilize({ ...rest, recommendations: pods } as unknown as Parameters<
          typeof stabilize
        >[0]);
        expect(Number.isInteger(stabilized.replicas)).toBe(true);
        const applied = applyPolicies({ ...rest, scaleUpEvents: pods } as unknown as Parameters<
          typeof applyPolicies
        >[0]);
        expect(Number.isInteger(applied.replicas)).toBe(true);
      },
    ),
    runs,
  );
});

test("validation and defaulting take any data; conversion throws nothing but a ConversionError", () => {
  assertProperty(
    fc.property(hpa, fc.constantFrom("v1", "v2beta1", "v2beta2", "v2", "v3"), (given, version) => {
      expect(Array.isArray(validateHpa(given, { old: given }))).toBe(true);
      expect(defaultHpa(given as DecideInput["hpa"]).spec).toBeDefined();
      const error = thrownBy(() => convertHpa(given, version));
      expect(error === undefined || error instanceof ConversionError).toBe(true);
    }),
    runs,
  );
});

test("a quantity's text gives a quantity or a QuantityError", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."0123456789.+-eEinumkKMGTP".split("")) }),
  );
  assertProperty(
    fc.property(text, (given) => {
      const error = thrownBy(() => parseQuantity(given));
      expect(error === undefined || error instanceof QuantityError).toBe(true);
    }),
    { numRuns: 20_000 },
  );
});

test("a key called __proto__ pollutes nothing", () => {
  const text =
    '{"__proto__":{"polluted":true},"spec":{"__proto__":{"polluted":true},"metrics":[{"type":"Pods","__proto__":{"polluted":true}}]}}';
  const given = JSON.parse(text) as DecideInput["hpa"];
  decide({
    nowMs: 0,
    hpa: given,
    scale: { ok: true, specReplicas: 1, statusReplicas: 1, selector: "a=b" },
    pods: { ok: true, pods: [] },
    samples: [],
  });
  convertHpa({ ...given, apiVersion: "autoscaling/v2" }, "v1");
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
