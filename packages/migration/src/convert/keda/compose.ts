// Triggers, limits and fallback of a ScaledObject as the parts of a WorkloadAutoscaler.
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Findings } from "../findings.ts";
import type { NeededRule } from "../needed-rule.ts";
import { within } from "../promql-query.ts";
import { quantityText } from "../values.ts";
import { type KedaBounds, rests } from "./bounds.ts";
import { type KedaFallback, noteOthers, policyOf } from "./fallback.ts";
import { schedulesOf } from "./schedules.ts";
import { type CronTrigger, type PrometheusTrigger, type Trigger, triggerPath } from "./trigger.ts";

export interface Composed {
  readonly minReplicas: number;
  readonly metrics: readonly object[];
  readonly schedules: readonly ScheduleSpec[];
  readonly rules: readonly NeededRule[];
  readonly rest: Rest;
}

export interface ComposeInput {
  readonly triggers: readonly Trigger[];
  readonly bounds: KedaBounds;
  readonly fallback: KedaFallback | undefined;
  readonly isForced: boolean;
  readonly nameOf: (index: number) => string;
}

/** How the target gets to the replicas that it has without an active trigger. */
export type Rest = "never" | "by-metrics" | "by-schedule" | "outside-schedule";

export function compose(input: ComposeInput, findings: Findings): Composed {
  const { bounds, fallback, nameOf, triggers } = input;
  const external = triggers.filter((one) => one.kind === "prometheus");
  const crons = triggers.filter((one) => one.kind === "cron");
  const rest = restOf(input, { external, crons }, findings);
  const isMasked = rest === "by-metrics";
  if (isMasked) noteActivation(external, external.length + crons.length, findings);
  else noteNoActivation(external, findings);
  if (fallback !== undefined)
    noteOthers(fallback, { triggers: triggers.length, queries: external.length }, findings);
  const shape = { rests: isMasked, activeReplicas: bounds.active };
  const rules = external.map((trigger) => ({
    metric: nameOf(trigger.index),
    promql: kedaQuery(trigger, shape),
    server: trigger.server,
  }));
  const metrics = triggers.flatMap((trigger) => {
    if (trigger.kind === "cron") return [];
    if (trigger.kind === "resource") return [trigger.metric];
    return [externalMetric(trigger, nameOf(trigger.index), fallback)];
  });
  const lowers = rest === "by-metrics" || rest === "by-schedule";
  return {
    minReplicas: lowers ? bounds.inactive : bounds.active,
    metrics,
    schedules: schedulesOf(crons, { bounds, restsOutside: rest === "outside-schedule" }, findings),
    rules,
    rest,
  };
}

function externalMetric(
  trigger: PrometheusTrigger,
  name: string,
  fallback: KedaFallback | undefined,
): object {
  const value = quantityText(trigger.threshold);
  const target = trigger.isValue ? { type: "Value", value } : { type: "AverageValue", averageValue: value };
  const policy = fallback === undefined ? undefined : policyOf(trigger, fallback);
  return {
    type: "External",
    external: { metric: { name }, target },
    ...(policy === undefined ? {} : { onMetricFailure: policy }),
  };
}

interface Signals {
  readonly external: readonly PrometheusTrigger[];
  readonly crons: readonly CronTrigger[];
}

function restOf(
  { triggers, bounds, isForced }: ComposeInput,
  { external, crons }: Signals,
  findings: Findings,
): Rest {
  if (!rests(bounds)) return "never";
  const path = `spec.${bounds.inactiveField}`;
  const never = (message: string, remedy: string): Rest => {
    findings.note({ path, value: bounds.inactive, message, remedy });
    return "never";
  };
  const keeps = `is converted to minReplicas ${bounds.active}`;
  if (isForced)
    return never(
      `${keeps}, because autoscaling.keda.sh/force-activation keeps the object active`,
      "lower it when you remove the annotation",
    );
  const hasResource = triggers.some(({ kind }) => kind === "resource");
  if (external.length === 0 && hasResource) {
    if (crons.length === 0)
      return never(`${keeps}: cpu and memory have no value without pods`, "nothing to do");
    if (crons.length === 1) return "outside-schedule";
    return never(
      `${keeps}: with cpu or memory, the times when no cron trigger is active can't be a schedule entry`,
      `add entries with replicas: ${bounds.inactive} for these times`,
    );
  }
  if (external.length === 0) return "by-schedule";
  const constant = external.find(({ activationThreshold }) => activationThreshold < 0);
  if (constant !== undefined)
    return never(
      `${keeps}: the activationThreshold ${constant.activationThreshold} of ${triggerPath(constant.index)} keeps the object active at 0`,
      "nothing to do",
    );
  if (bounds.active > 1 && external.some(({ isValue }) => isValue))
    return never(
      `${keeps}: a metric of type Value can't set a minimum number of replicas`,
      "use AverageValue, or accept the replicas",
    );
  if (hasResource)
    findings.note({
      path,
      value: bounds.inactive,
      message:
        "is reached only with no cpu and memory usage at all: KEDA ignores them when it checks activity, but here each metric calls for replicas",
      remedy: "remove the cpu or memory trigger if the object has to reach it",
    });
  return "by-metrics";
}

/** Above the target per replica, an inactive trigger would propose more than one replica where another one is active. */
function noteActivation(external: readonly PrometheusTrigger[], signals: number, findings: Findings): void {
  if (signals < 2) return;
  for (const { index, threshold, activationThreshold } of external) {
    if (activationThreshold <= threshold) continue;
    findings.note({
      path: `${triggerPath(index)}.metadata.activationThreshold`,
      value: activationThreshold,
      message: `is above the threshold ${threshold}: below it the metric counts as 0, while KEDA's HPA uses its value if another trigger is active`,
      remedy: "lower it to the threshold, or accept fewer replicas meanwhile",
    });
  }
}

function noteNoActivation(external: readonly PrometheusTrigger[], findings: Findings): void {
  for (const { index, activationThreshold } of external) {
    if (activationThreshold <= 0) continue;
    findings.note({
      path: `${triggerPath(index)}.metadata.activationThreshold`,
      value: activationThreshold,
      message: "is left out: it matters only if the target has fewer replicas without an active trigger",
      remedy: "nothing to do",
    });
  }
}

/** How the value counts while the trigger is not active. */
interface QueryShape {
  /** The target rests below its minimum while no trigger is active, so that an inactive one has to be 0. */
  readonly rests: boolean;
  /** The replicas of an active object, where the value has to give them: 1 where a limit does. */
  readonly activeReplicas: number;
}

/**
 * KEDA takes an empty result, NaN, infinity and what is below 0 for 0, and asks for one result. An inactive trigger is 0 here, where
 * KEDA lowers the target itself.
 */
function kedaQuery(trigger: PrometheusTrigger, { rests, activeReplicas }: QueryShape): string {
  const { query, ignoresNull, activationThreshold, threshold } = trigger;
  const above = rests ? String(activationThreshold) : "0";
  const floor = quantityText(threshold * activeReplicas);
  const atLeast = (value: string) => (rests && activeReplicas > 1 ? `clamp_min(${value}, ${floor})` : value);
  if (ignoresNull) return `${atLeast(`sum(${within(query)} > ${above} < Inf)`)} or vector(0)`;
  // Without a value the query fails: it is read as it is.
  if (!rests) return query.trim();
  return `${atLeast(`sum(${within(query)})`)} * (sum(${within(query)}) > bool ${above})`;
}
