import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  applyPolicies,
  ConversionError,
  convertHpa,
  type DecideInput,
  decide,
  defaultHpa,
  explain,
  type HpaMemory,
  type ProposeInput,
  proposeReplicas,
  QuantityError,
  stabilize,
  validateHpa,
  withFailedRescale,
} from "../src/index.ts";
import { parseQuantity } from "../src/quantity/index.ts";

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
      minReplicas: junk,
      maxReplicas: junk,
      metrics: fc.oneof(fc.array(fc.oneof(metric, junk), { maxLength: 3 }), junk),
      behavior: fc.oneof(fc.record({ scaleUp: junk, scaleDown: junk }), junk),
    }),
    status: junk,
  }),
);

const input = fc.record({
  nowMs: fc.oneof(fc.double(), fc.constant(Date.parse("2026-01-01T12:00:00Z"))),
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
  options: junk,
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

const runs = { numRuns: 2000 };

test("decide takes any data, and its answer survives JSON and an explanation", () => {
  fc.assert(
    fc.property(input, junk, (given, memory) => {
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

test("the single steps take any data", () => {
  fc.assert(
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
  fc.assert(
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
  fc.assert(
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
