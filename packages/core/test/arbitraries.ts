// Any data in place of what the functions of core expect: of the API's own names, and of none.
import * as fc from "fast-check";

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
export const junk: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
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

export const metric = fc.record(
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

export const hpa = fc.oneof(
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

export const input = fc.record({
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
          afterSeconds: scalars,
          allowScaleDown: scalars,
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
export const memories = fc
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
