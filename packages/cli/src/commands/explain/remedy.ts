// What is wrong and what to do about it: the first and the last line of an explanation.
import {
  type Decision,
  instantMs,
  isLasting,
  metricRows,
  type OtherWriter,
  otherWriterNote,
} from "@plimsoll/core";
import { type Fields, isFields, shellWord, textOf } from "@plimsoll/core/internal/values";
import type { SummaryRow } from "@plimsoll/decisions";
import type { Explained } from "../../decisions/source.ts";
import { rowOf } from "../../decisions/summary-row.ts";
import { timeText } from "../../output/age.ts";

/** Short, because each has to fit into its line. */
export interface Remedy {
  /** Absent: the decision's own sentence names it. */
  readonly cause?: string;
  readonly fix: string;
}

/** Undefined: nothing keeps the autoscaler from what its metrics call for. */
export function remedyOf(explained: Explained, nowMs: number): Remedy | undefined {
  const { otherWriter, object } = explained;
  if (otherWriter !== undefined && isLasting(otherWriter)) return foreignWriter(otherWriter, object);
  if (isPaused(explained)) return { cause: "spec.mode is Paused", fix: "set spec.mode to Active" };
  const row = rowOf(explained);
  const failure = failureOf(explained);
  if (failure !== undefined) return failureRemedy(failure, object);
  return heldRemedies[row.heldBy]?.({ ...explained, row, nowMs });
}

/** Removing the field from a manifest can set 1 replica once: the doctor knows the way for each client. */
function foreignWriter(other: OtherWriter, { namespace, name }: Target): Remedy {
  const doctor = `plimsoll doctor ${shellWord(name)} -n ${shellWord(namespace)}`;
  const replicasFix = /argocd/i.test(other.by)
    ? "ignore /spec/replicas in the Argo CD Application (ignoreDifferences)"
    : `stop ${other.by} from setting replicas; ${doctor} says how`;
  const fix =
    other.writes === "status"
      ? `run only one controller for this object: stop ${other.by}, or ours`
      : replicasFix;
  return { cause: otherWriterNote(other), fix };
}

function isPaused({ mode, served }: Explained): boolean {
  const isSo = served?.status?.conditions?.some(
    ({ type, reason }) => type === "Active" && reason === "Paused",
  );
  return mode === "paused" || isSo === true;
}

interface Held extends Pick<Explained, "decision" | "served"> {
  readonly row: SummaryRow;
  readonly object: Target;
  readonly nowMs: number;
}

type HeldRemedies = Readonly<Partial<Record<SummaryRow["heldBy"], (held: Held) => Remedy>>>;

const heldRemedies: HeldRemedies = {
  max: ({ row: { proposed, max } }) => ({
    fix: `raise spec.maxReplicas${proposed === null ? ` (${max ?? "?"})` : ` to ${proposed}`}, or the target of the metric`,
  }),
  min: ({ row: { min } }) => ({ fix: `lower spec.minReplicas (${min ?? "?"}) if fewer are enough` }),
  stabilize(held) {
    const { row, decision } = held;
    const step = stepOf(decision, "stabilize");
    const isDown = row.proposed === null || row.proposed < row.desired;
    const seconds = isDown ? step?.downWindowSeconds : step?.upWindowSeconds;
    const setting = `${isDown ? "scaleDown" : "scaleUp"}.stabilizationWindowSeconds`;
    return {
      cause: `metrics call for ${row.proposed ?? (isDown ? "fewer" : "more")}; the stabilization window keeps ${row.desired}`,
      fix: `${waitText(held)}, or lower ${setting}${seconds === undefined ? "" : ` (${seconds})`}`,
    };
  },
  rate(held) {
    const { row, decision } = held;
    const direction = stepOf(decision, "rate")?.direction ?? (row.desired < row.current ? "down" : "up");
    return {
      cause: `metrics call for ${row.proposed ?? "more"}; the scale-${direction} policies allow ${row.desired}`,
      fix: `${waitText(held)}, or change the policies in behavior.scale${direction === "up" ? "Up" : "Down"}`,
    };
  },
  cooldown: (held) => ({ fix: waitText(held) }),
  schedule(held) {
    const { row, decision } = held;
    const step = stepOf(decision, "schedules");
    const names = step?.active.map(({ name }) => name).join(", ") ?? "";
    const limits = step === undefined ? "the limits" : `the limits ${step.minReplicas}–${step.maxReplicas}`;
    const who = names === "" ? "schedules set" : `schedule ${names} sets`;
    return {
      cause: `${row.proposed === null ? "" : `metrics call for ${row.proposed}; `}${who} ${limits}`,
      fix: `${waitText(held)}, or change spec.schedules`,
    };
  },
  disabled: ({ object }) => ({
    // Whoever writes the object chooses these names, and somebody pastes the command.
    fix: `kubectl scale --replicas=1 ${shellWord(targetText(object))} -n ${shellWord(object.namespace)}`,
  }),
  selector({ decision, served, object }) {
    const condition = served?.status?.conditions?.find(({ type }) => type === "ScalingActive");
    const isAmbiguous = (stepOf(decision, "selector")?.reason ?? condition?.reason) === "AmbiguousSelector";
    return {
      fix: isAmbiguous
        ? "change the selector of one target, so that no pod has two autoscalers"
        : `let labelSelectorPath in the CRD of ${object.target.kind} name a status string with the pods' label selector`,
    };
  },
};

type TraceStep = Decision["trace"][number];

function stepOf<K extends TraceStep["kind"]>(
  decision: Decision | undefined,
  kind: K,
): Extract<TraceStep, { kind: K }> | undefined {
  return decision?.trace.find((step): step is Extract<TraceStep, { kind: K }> => step.kind === kind);
}

function waitText({ row: { notBefore }, nowMs }: Held): string {
  const ms = notBefore === null ? undefined : instantMs(notBefore);
  return ms === undefined ? "wait" : `wait until ${timeText(ms, nowMs)}`;
}

interface Failure {
  readonly reason: string;
  readonly message: string;
  /** Of the metric that failed; absent: the target failed. */
  readonly metric?: string;
  readonly isQuery: boolean;
}

/** Of a decision that nothing was decided in, or in which a failed metric blocks scaling down. */
function failureOf({ decision, served }: Explained): Failure | undefined {
  if (decision === undefined)
    return queryFailure(served?.status) ?? statusFailure(served?.status?.conditions ?? []);
  const outcome = stepOf(decision, "combine")?.outcome;
  const scaleError = stepOf(decision, "scale")?.error;
  if (scaleError !== undefined) return { reason: "FailedGetScale", message: scaleError, isQuery: false };
  if (outcome !== "failed" && outcome !== "blocked") return undefined;
  const failed = metricRows(decision).find(({ error }) => error !== undefined);
  const { reason, message } = failed?.error ?? { reason: "", message: "" };
  return failed && { reason, message, metric: failed.name, isQuery: failed.name.startsWith("query[") };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** As status.queries has it, which is not of an HPA. */
function queryFailure(status: object | undefined): Failure | undefined {
  const { queries } = (status ?? {}) as { readonly queries?: unknown };
  for (const query of Array.isArray(queries) ? (queries as readonly unknown[]) : []) {
    const { name = "query", conditions } = (query ?? {}) as QueryState;
    const failed = (Array.isArray(conditions) ? (conditions as readonly unknown[]) : []).find(
      (one): one is Fields => isFields(one) && one["status"] === "False" && one["reason"] !== "NotAccepted",
    );
    if (failed === undefined) continue;
    const [reason, message] = [textOf(failed["reason"]), textOf(failed["message"])];
    return { reason, message, metric: textOf(name), isQuery: true };
  }
  return undefined;
}

interface QueryState {
  readonly name?: unknown;
  readonly conditions?: unknown;
}

function statusFailure(conditions: readonly Condition[]): Failure | undefined {
  const failed = conditions.find(
    ({ type, status, reason = "" }) =>
      status === "False" &&
      reason.startsWith("Failed") &&
      (type === "ScalingActive" || type === "AbleToScale"),
  );
  if (failed === undefined) return undefined;
  const { type, reason = "", message = "" } = failed;
  return {
    reason,
    message,
    isQuery: false,
    ...(type === "ScalingActive" ? { metric: "a metric" } : {}),
  };
}

type Target = Pick<Explained["object"], "namespace" | "name" | "resource" | "target">;

function targetText({ target }: Pick<Target, "target">): string {
  return `${target.kind}/${target.name}`;
}

function failureRemedy(failure: Failure, object: Target): Remedy {
  const { reason, message, metric, isQuery } = failure;
  const whose = targetText(object);
  const at = `-n ${shellWord(object.namespace)}`;
  if (metric === undefined) {
    return message.endsWith(" not found")
      ? { cause: `${whose} doesn't exist`, fix: `create ${whose}, or correct spec.scaleTargetRef` }
      : { fix: `plimsoll doctor ${shellWord(object.name)} ${at}` };
  }
  const request = /missing request for (\S+) in container (\S+) of Pod/.exec(message);
  if (request !== null)
    return {
      cause: `container ${request[2]} has no ${request[1]} request`,
      fix: `set resources.requests.${request[1]} on every container of ${whose}`,
    };
  if (reason.endsWith("ResourceMetric") && message.includes("could not find the requested resource"))
    return {
      cause: "nothing serves CPU and memory (metrics.k8s.io)",
      fix: "install metrics-server, or add resource rules to metrics-adapter",
    };
  if (isQuery) {
    const kind = object.resource === "workloadautoscalers" ? "wla" : "hpa";
    return {
      cause: `${metric} can't be used: ${message.replace(/^.*unable to fetch metrics from external metrics API: /, "")}`,
      fix: `correct the query; kubectl describe ${kind} ${shellWord(object.name)} ${at} has details`,
    };
  }
  const unknown = /could not find the (?:external )?metric (\S+)/.exec(message);
  if (unknown !== null)
    return {
      cause: `no adapter serves a metric named ${unknown[1]}`,
      fix: `check its name: plimsoll rules query ${shellWord(unknown[1] ?? "")} ${at}`,
    };
  return { fix: `plimsoll doctor ${shellWord(object.name)} ${at}` };
}
