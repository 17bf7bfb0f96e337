// What a change costs, counted: a pod is looked at as often in a large object as in a small one.
import { expect, test } from "vitest";
import { editsFrom } from "../../src/what-if/edits.ts";
import { recordedResult, whatIf } from "../../src/what-if/what-if.ts";
import { cpu, cpuSamples, type FixtureObject, hpaOf } from "../fixtures/objects.ts";
import { historyOf } from "../fixtures/world.ts";

/** How often the fields of pods are read for one change. */
function readsOf(pods: number, params: Readonly<Record<string, string>>): number {
  const object: FixtureObject = {
    hpa: hpaOf({ namespace: "default", name: "wide", min: 1, max: 5_000, metrics: [cpu(60)] }),
    resource: "horizontalpodautoscalers",
    mode: "shadow",
    replicas: pods,
    isScaled: false,
    samplesAt: (_, list) => [cpuSamples(list, 300)],
  };
  const record = historyOf(object).records.at(-1);
  if (record?.input.pods.ok !== true) throw new Error("no pods");
  let reads = 0;
  const counted = record.input.pods.pods.map(
    (pod) =>
      new Proxy(pod, {
        get(target, name: keyof typeof pod) {
          reads++;
          return target[name];
        },
      }),
  );
  const input = { ...record.input, pods: { ...record.input.pods, pods: counted } };
  whatIf({ ...record, input }, recordedResult(record), editsFrom(params));
  return reads / pods;
}

test.each([[{ v0: "80" }], [{ t0: "40" }], [{ v0: "80", t0: "40", unready: "5", max: "9" }]])(
  "%j",
  (params) => {
    const [small, large] = [readsOf(10, params), readsOf(200, params)];
    expect(small).toBeGreaterThan(0);
    expect(large).toBeLessThanOrEqual(small);
  },
);
