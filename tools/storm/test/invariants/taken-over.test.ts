import { expect, test } from "vitest";
import { takenOver } from "../../src/invariants/taken-over.ts";
import { autoscalerRig, hpaWith } from "./autoscaler-rig.ts";
import { hpa } from "./rig.ts";

const [first, second] = ["autoscaler-0", "autoscaler-1"] as const;

/** One object, which the first process evaluates and a minute has passed. */
async function evaluatedRig(coordination: "leader" | "shards" = "leader") {
  const rig = autoscalerRig(takenOver, { coordination });
  const { decided, observe, pass, store } = rig;
  const { uid } = store.create("horizontalpodautoscalers.autoscaling", hpa()).metadata;
  const object = hpaWith();
  const input = { hpa: { ...object, metadata: { ...object.metadata, uid: uid ?? "" } } };
  await pass(61);
  decided(first, input);
  return {
    evaluate: (process: string) => decided(process, input).message,
    pass,
    kill: () => observe({ kind: "process", process: first, change: "killed" }),
    start: () => observe({ kind: "process", process: first, change: "started" }),
    fault: (kind: string) =>
      observe({ kind: "fault", change: "begins", event: { id: 1, atMs: 0, forMs: 0, kind, details: {} } }),
  };
}

test.each(["object-edited", "replicas-upgraded", "pod-deleted", "crowd-grows", "other-controller"])(
  "what a killed process evaluated is evaluated within 5 s, also beside %s",
  async (kind) => {
    const rig = await evaluatedRig();
    rig.fault(kind);
    rig.kill();
    rig.fault(kind);
    await rig.pass(6);
    expect(rig.fault(kind)).toBe(
      "team-a/shop was not evaluated within 5000 ms after autoscaler-0 was killed, as 1 of its objects",
    );
    const other = await evaluatedRig();
    other.fault(kind);
    other.kill();
    await other.pass(4);
    other.evaluate(second);
    await other.pass(2);
    expect(other.fault(kind)).toBeUndefined();
  },
);

test.each(["object-replaced", "compaction", "lease-deleted", "prometheus-slow", "requests-delayed"])(
  "beside %s it may take longer",
  async (kind) => {
    const before = await evaluatedRig();
    before.fault(kind);
    before.kill();
    const meanwhile = await evaluatedRig();
    meanwhile.kill();
    meanwhile.fault(kind);
    for (const { fault, pass } of [before, meanwhile]) {
      await pass(6);
      expect(fault("pod-deleted")).toBeUndefined();
    }
  },
);

test.each([
  ["leader", 6],
  ["shards", 8],
] as const)(
  "a process that starts again after 2 s: with %s its objects are evaluated within %i s",
  async (mode, seconds) => {
    const { fault, kill, pass, start } = await evaluatedRig(mode);
    kill();
    await pass(2);
    start();
    await pass(seconds - 4);
    expect(fault("pod-deleted")).toBeUndefined();
    await pass(2);
    expect(fault("pod-deleted")).toContain("was not evaluated within 5000 ms");
  },
);
