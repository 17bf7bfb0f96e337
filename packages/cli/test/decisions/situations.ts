// Forty situations of an autoscaler, decided by core, and whether a person should look at each.
import {
  type DecideInput,
  decide,
  type OtherWriter,
  recordDecision,
  type Verdict,
  withFailedRescale,
} from "@plimsoll/core";
import { withSchedules } from "@plimsoll/core/schedules";
import type { SummaryRow } from "@plimsoll/decisions";
import type { ServedObject } from "@plimsoll/observe";
import type { Explained } from "../../src/decisions/source.ts";
import { hpaOf, statusOf } from "../cluster/workload.ts";
import { at, cpu, cpuSamples, external, identityOf, inputOf, type Workload } from "../golden/inputs.ts";

export interface Situation {
  readonly name: string;
  readonly isProblem: boolean;
  readonly explained: Explained;
  /** Only an autoscaler knows it: nothing of it can be recomputed. */
  readonly isRecordedOnly: boolean;
}

interface Made {
  readonly replicas?: number;
  /** Of each pod in millicores; 300 are the target. */
  readonly usage?: number;
  /** Pods with metrics. */
  readonly measured?: number;
  /** A former recommendation. */
  readonly former?: number;
  readonly behavior?: Workload["behavior"];
  /** A second metric, which cannot be read. */
  readonly hasFailure?: true;
  readonly input?: Partial<DecideInput>;
  readonly schedule?: { readonly floor?: number; readonly ceiling?: number };
  readonly refused?: string;
  readonly verdict?: Verdict;
  readonly recorded?: { readonly mode?: SummaryRow["mode"]; readonly otherWriter?: OtherWriter };
  /** In place of a decision. */
  readonly status?: ServedObject["status"];
}

const unreadable = { ok: false, message: "the server is overloaded" } as const;
const noSelector = { ok: true, specReplicas: 3, statusReplicas: 3, selector: "" } as const;
const onePod = { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } };
const neverUp = { scaleUp: { selectPolicy: "Disabled" } };
const slowUp = { scaleUp: { stabilizationWindowSeconds: 300 } };
const argocd = (writes: OtherWriter["writes"], count: number) => {
  const [since, lastAt, retryAt] = ["09:00", "09:58", "10:02"].map((time) => `2026-11-22T${time}:00.000Z`);
  return { by: "argocd-controller", writes, count, since, lastAt, retryAt } as OtherWriter;
};
const inactive = (reason: string): ServedObject["status"] => ({
  ...statusOf(3, { cpu: 60 }),
  conditions: [{ type: "ScalingActive", status: "False", reason, message: "m" }],
});

/** Where the three former definitions of a problem differed, the comment says why it is one or not. */
const table: readonly (readonly [name: string, isProblem: boolean, made: Made])[] = [
  ["on target", false, {}],
  ["within the tolerance", false, { usage: 310 }],
  ["scales up", false, { usage: 355, replicas: 6 }],
  ["scales down", false, { usage: 200, replicas: 6, former: 4 }],
  ["held by the window", false, { usage: 200, replicas: 6, former: 6 }],
  ["at the maximum, more wanted", true, { usage: 600, replicas: 10 }],
  ["on the way to the maximum, more wanted", true, { usage: 600, replicas: 6 }],
  ["at the maximum, as wanted", false, { replicas: 10 }],
  // The metrics ask for fewer now: a higher maximum would change nothing for long.
  ["at the maximum by a former peak", false, { usage: 200, replicas: 10, former: 14 }],
  // The autoscaler is removing them already.
  ["above a maximum that was lowered", false, { replicas: 12 }],
  ["at the minimum, fewer wanted", false, { usage: 50, replicas: 2, former: 1 }],
  ["below the minimum", false, { replicas: 1 }],
  // Kubernetes' own way to pause an HPA: the target was scaled to 0 on purpose.
  ["target at 0 replicas", false, { replicas: 0 }],
  ["paused", false, { input: { mode: "Paused" }, recorded: { mode: "paused" } }],
  ["no pod has metrics", true, { measured: 0 }],
  ["some pods lack metrics", false, { usage: 500, measured: 1 }],
  ["a metric fails, the other scales up", false, { usage: 400, hasFailure: true }],
  ["a metric fails, the other wants fewer", true, { usage: 100, hasFailure: true }],
  ["both metrics fail", true, { measured: 0, hasFailure: true }],
  ["the scale cannot be read", true, { input: { scale: unreadable } }],
  ["the pods cannot be listed", true, { input: { pods: unreadable } }],
  ["two HPAs select the same pods", true, { input: { ambiguousWith: ["a/a", "a/b"] } }],
  ["no selector", true, { input: { scale: noSelector } }],
  ["the target cannot be scaled", true, { usage: 400, refused: "the quota is exceeded", recorded: {} }],
  ["a policy limits the pace", false, { usage: 600, behavior: onePod }],
  ["scaling up is disabled", false, { usage: 600, behavior: neverUp }],
  ["a window delays scaling up", false, { usage: 600, behavior: slowUp, former: 3 }],
  ["a schedule caps", false, { usage: 600, schedule: { ceiling: 4 }, recorded: {} }],
  ["a schedule holds up", false, { usage: 100, former: 1, schedule: { floor: 3 }, recorded: {} }],
  ["yielded to another controller", true, { recorded: { mode: "yielded" } }],
  ["another client sets the replicas back", true, { recorded: { otherWriter: argocd("replicas", 14) } }],
  ["another client set the replicas once", false, { recorded: { otherWriter: argocd("replicas", 1) } }],
  ["another client writes the status", true, { recorded: { otherWriter: argocd("status", 3) } }],
  ["differs from the status", true, { verdict: "differs" }],
  ["agrees with the status", false, { verdict: "agrees" }],
  ["the status may follow", false, { verdict: "lagging" }],
  ["status: steady", false, { status: statusOf(3, { cpu: 60 }) }],
  // The condition says that more is wanted than the maximum.
  ["status: at the maximum", true, { status: statusOf(10, { cpu: 120, limited: "TooManyReplicas" }) }],
  ["status: no metric", true, { status: inactive("FailedGetResourceMetric") }],
  ["status: target at 0 replicas", false, { status: inactive("ScalingDisabled") }],
];

export const situations: readonly Situation[] = table.map(([words, isProblem, made], index) => {
  const name = `${String(index).padStart(2, "0")}-${words.replaceAll(/\W+/g, "-")}`;
  const isRecordedOnly = made.recorded !== undefined;
  return { name, isProblem, isRecordedOnly, explained: explainedOf(name, made) };
});

function explainedOf(name: string, made: Made): Explained {
  const { replicas = 3, status, verdict, recorded } = made;
  const known = {
    at: "2026-11-22T10:00:02Z",
    object: identityOf({ namespace: "default", name }),
    served: hpaOf({ name, replicas, maxReplicas: 10, status }),
    assumptions: [],
    notes: [],
  };
  if (status !== undefined) return { ...known, source: "status" };
  const comparison = { difference: null, assumptions: [], theirs: null, notes: [] };
  return {
    ...known,
    ...recorded,
    ...decided(name, made),
    source: "recomputed",
    ...(verdict === undefined ? {} : { comparison: { ...comparison, verdict } }),
  };
}

function decided(name: string, made: Made): Pick<Explained, "decision" | "record"> {
  const { replicas = 3, usage = 300, measured = replicas, former, behavior, schedule, refused } = made;
  const used = cpuSamples(name, measured, usage);
  const failure = { error: "the server could not find the metric queue_depth" };
  const read = made.hasFailure
    ? { metrics: [cpu(60), external("queue_depth", "30")], samples: [used, failure] }
    : { metrics: [cpu(60)], samples: [used] };
  const workload = { namespace: "default", name, replicas, bounds: [2, 10], behavior, ...read } as const;
  const own = { ...inputOf(workload), ...made.input };
  const imposed = { floor: undefined, ceiling: undefined, atMs: own.nowMs, active: [], nextMs: undefined };
  const input = schedule === undefined ? own : withSchedules(own, { ...imposed, ...schedule });
  const recommendations = former === undefined ? [] : [{ replicas: former, atMs: at("09:59:31") }];
  const memory = { recommendations, scaleUpEvents: [], scaleDownEvents: [] };
  const plain = decide(input, memory);
  const result = refused === undefined ? plain : withFailedRescale(plain, refused);
  const record = recordDecision({ input, memory, result, applied: { outcome: "shadow" } });
  return { decision: result.decision, record };
}
