// Reads an autoscaler as it is applied: a HorizontalPodAutoscaler, or a WorkloadAutoscaler with what it has beyond one.
import type { FailurePolicy, HorizontalPodAutoscaler } from "@plimsoll/core";
import { ConversionError, convertHpa, defaultHpa, problemsText, validateHpa } from "@plimsoll/core/api";
import { textQuantities } from "@plimsoll/core/internal/objects";
import { fieldsOf, listOf, textOf } from "@plimsoll/core/internal/values";
import { QuantityError } from "@plimsoll/core/quantity";
import {
  livePeriod,
  type QueryEntry,
  readQueries,
  withQueries,
  withQueryPaths,
} from "@plimsoll/core/queries";
import { readSchedules, type ScheduleSpec, zoneOffset } from "@plimsoll/core/schedules";
import type { Autoscaler } from "../scenario.ts";
import { readTuning, tuningProblem } from "./tuning.ts";

/** An autoscaler with the name of its target, or why it is none. */
export type AutoscalerRead =
  | { readonly ok: true; readonly autoscaler: Autoscaler; readonly target: Target }
  | { readonly ok: false; readonly message: string };

/** What an autoscaler scales. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
}

/** Reads any object; what is not an autoscaler is a message too. */
export function readAutoscaler(object: unknown): AutoscalerRead {
  const { kind, apiVersion } = fieldsOf(object);
  try {
    if (kind === "HorizontalPodAutoscaler") return checked({ hpa: convertedHpa(object) });
    if (kind === "WorkloadAutoscaler" && textOf(apiVersion).startsWith(group)) return readWla(object);
  } catch (error) {
    if (error instanceof ConversionError || error instanceof QuantityError)
      return { ok: false, message: error.message };
    throw error;
  }
  return { ok: false, message: `${textOf(kind) || "an object"} is not an autoscaler` };
}

const group = "autoscaling.plimsoll.dev/";

function convertedHpa(object: unknown): HorizontalPodAutoscaler {
  return withoutStatus(convertHpa(object, "autoscaling/v2") as unknown as HorizontalPodAutoscaler);
}

/** A status of another time would make the first decisions. */
function withoutStatus(hpa: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { status: _, ...rest } = hpa;
  return rest;
}

function readWla(object: unknown): AutoscalerRead {
  const { metadata, spec } = fieldsOf(object);
  const { metrics, schedules, tuning, ...others } = fieldsOf(spec);
  // Whether it is paused now says nothing about what it would do.
  const { mode: _, pause: __, adopt, ...rest } = others;
  const listed = listOf(metrics).map(fieldsOf);
  const queries = readQueries(textOf(fieldsOf(metadata)["name"]), listed);
  const wrong = queries.flatMap((query) => query.problems);
  if (wrong.length > 0) return { ok: false, message: problemsText(wrong) };
  const wrongTuning = tuningProblem(fieldsOf(tuning));
  if (wrongTuning !== undefined) return { ok: false, message: wrongTuning };
  const plain = withQueries(listed, queries).map((metric) => {
    const { onMetricFailure: _, query: __, ...source } = fieldsOf(metric);
    return source;
  });
  // Through the API's own conversion, so that quantities which are numbers become text.
  const converted = convertedHpa({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: textQuantities({ ...rest, ...(plain.length === 0 ? {} : { metrics: plain }) }),
  });
  const hpa = withQuerySources(converted, queries);
  const entries = listOf(schedules) as readonly ScheduleSpec[];
  const bounds = { minReplicas: hpa.spec.minReplicas ?? 1, maxReplicas: hpa.spec.maxReplicas };
  const { problems } = readSchedules(entries, { zone: zoneOffset, bounds });
  const [problem] = problems;
  if (problem !== undefined)
    return { ok: false, message: `spec.schedules${problem.path} ${problem.message}: ${problem.remedy}` };
  const policies = listed.map(
    ({ onMetricFailure }) => (onMetricFailure ?? { policy: "Block" }) as FailurePolicy,
  );
  const autoscaler = {
    hpa: { ...hpa, kind: "WorkloadAutoscaler", spec: plain.length > 0 ? hpa.spec : withoutMetrics(hpa.spec) },
    ...(entries.length === 0 ? {} : { schedules: entries }),
    failurePolicies: policies,
    ...livePeriod(queries),
    ...readTuning(fieldsOf(tuning), adopt),
  };
  return checked(autoscaler, queries);
}

/** What the conversion of HPAs does not know. */
function withQuerySources(
  hpa: HorizontalPodAutoscaler,
  queries: readonly QueryEntry[],
): HorizontalPodAutoscaler {
  if (queries.length === 0) return hpa;
  const metrics = hpa.spec.metrics?.map((metric, at) => {
    const query = queries.find(({ index }) => index === at)?.query;
    return query === undefined ? metric : { ...metric, query };
  });
  return { ...hpa, spec: { ...hpa.spec, ...(metrics === undefined ? {} : { metrics }) } };
}

/** Schedules alone have no metrics; the conversion may have added one. */
function withoutMetrics(spec: HorizontalPodAutoscaler["spec"]): HorizontalPodAutoscaler["spec"] {
  const { metrics: _, ...rest } = spec;
  return rest;
}

function checked(autoscaler: Autoscaler, queries: readonly QueryEntry[] = []): AutoscalerRead {
  const { hpa, schedules } = autoscaler;
  // Zero needs a metric that wakes it, or a schedule.
  const isBySchedule = schedules !== undefined && (hpa.spec.metrics ?? []).length === 0;
  const lowest = isBySchedule && hpa.spec.minReplicas === 0 ? { minReplicas: 1 } : {};
  // The API adds what is absent before it looks: a behavior with a window alone has policies.
  const whole = defaultHpa({ ...hpa, spec: { ...hpa.spec, ...lowest } });
  const problems = withQueryPaths(
    validateHpa(whole).filter(({ path }) => path.startsWith("spec")),
    queries,
  );
  if (problems.length > 0) return { ok: false, message: problemsText(problems) };
  const { namespace = "default" } = hpa.metadata ?? {};
  return { ok: true, autoscaler, target: { namespace, name: hpa.spec.scaleTargetRef.name } };
}
