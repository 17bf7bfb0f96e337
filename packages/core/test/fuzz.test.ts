import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyPolicies, type ProposeInput, proposeReplicas, stabilize } from "../src/decide/steps/index.ts";
import {
  compareWithStatus,
  type DecideInput,
  decide,
  decideWithUnknownHistory,
  explain,
  explainWhyNot,
  type HpaMemory,
  headLine,
  metricRows,
  type StoredHpaStatus,
  stepLines,
  whyNot,
  withFailedRescale,
} from "../src/index.ts";
import { ConversionError, convertHpa, defaultHpa, validateHpa } from "../src/objects/api/index.ts";
import { parseQuantity, QuantityError } from "../src/values/quantity/index.ts";
import { hpa, input, junk, memories, metric } from "./arbitraries.ts";
import { contradictions } from "./summary-contradictions.ts";

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
      expect(contradictions(result.decision)).toEqual([]);
      expect(headLine(result.decision)).toMatch(
        /^(No change|(Staying at|(Scaling|Would scale) from -?\d+ to) -?\d+ replicas?)(: |$)/u,
      );
      expect(Array.isArray(metricRows(result.decision))).toBe(true);
      expect(Array.isArray(stepLines(result.decision, { every: true }))).toBe(true);
      expect(JSON.parse(JSON.stringify(result.memory))).toEqual(result.memory);
      expect(withFailedRescale(result, "conflict").decision.scaleTo).toBeUndefined();
      expect(Number.isInteger(result.decision.status.desiredReplicas)).toBe(true);
    }),
    runs,
  );
});

test("whyNot and the comparison with a status take any data that decide takes", () => {
  assertProperty(
    fc.property(input, memories, fc.nat(5), (given, memory, n) => {
      const made = given as unknown as DecideInput;
      const known = memory as HpaMemory | undefined;
      const found = whyNot({ input: made, memory: known as HpaMemory, semantics: "1.37" }, n);
      expect(explainWhyNot(found)).toMatch(/^Why not \d+: |^\d+ replicas?: /u);
      const status = (given.hpa as { status?: StoredHpaStatus } | undefined)?.status;
      expect(compareWithStatus(made, known, status, { isHistoryUnknown: true }).verdict).toBeTypeOf("string");
      expect(decideWithUnknownHistory(made).history).toBeTypeOf("string");
    }),
    { numRuns: 500 },
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
