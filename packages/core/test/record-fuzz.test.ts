import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
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
} from "../src/index.ts";
import { input, junk, memories } from "./arbitraries.ts";
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
