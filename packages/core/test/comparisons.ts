// Inputs and statuses of the tests of compareWithStatus.
import { type DecideInput, decide, type HpaMemory, type StoredHpaStatus } from "../src/index.ts";
import { cpuSamples, cpuUtilization, externalInput, hpaOf, nowMs, readyPods } from "./fixtures.ts";

export const old: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};
export const cpu = (millis: number, replicas: number, more: Partial<DecideInput> = {}): DecideInput =>
  externalInput("0", replicas, {
    hpa: hpaOf({ metrics: [cpuUtilization(60)] }),
    pods: { ok: true, pods: readyPods(replicas) },
    samples: [cpuSamples(Array.from({ length: replicas }, () => `${millis}m`))],
    ...more,
  });
/** The status that a controller with these readings writes. */
export const statusOf = (input: DecideInput, memory: HpaMemory | undefined = old): StoredHpaStatus =>
  decide(input, memory).decision.status;
