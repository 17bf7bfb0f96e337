// One case of the page: an HPA and a situation, decided by core and kept as a record.
import {
  type DecideInput,
  type DecisionRecord,
  decide,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  type MetricSamples,
  type MetricSpec,
  type Pod,
  recordDecision,
} from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { resourceName } from "@plimsoll/core/internal/objects";
import { readHpa } from "./read-hpa.ts";
import type { InputProblem } from "./read-yaml.ts";
import { type Past, type PodGroup, readSituation, type Situation } from "./situation.ts";

/** What a visitor edits. */
export interface CaseText {
  /** YAML of a HorizontalPodAutoscaler. */
  readonly hpa: string;
  /** YAML of pods, values and the recent past. */
  readonly situation: string;
}

export type CaseRead =
  | { readonly ok: true; readonly record: DecisionRecord }
  | {
      readonly ok: false;
      readonly hpa: readonly InputProblem[];
      readonly situation: readonly InputProblem[];
    };

/** Noon of a day: the same case gives the same times on each page. */
const nowMs = Date.UTC(2026, 0, 1, 12);
/** A pod of the page is ready so long after its start. */
const startedMs = 10_000;
const windowSeconds = 30;

/** The two documents of one text, divided by a line `---`. */
export function caseOf(text: string): CaseText {
  const [hpa = "", situation = ""] = text.split(/^---\s*$/m);
  return { hpa: hpa.trim(), situation: situation.trim() };
}

export function readCase(text: CaseText): CaseRead {
  const hpa = readHpa(text.hpa);
  const situation = readSituation(text.situation);
  if (!hpa.ok || !situation.ok)
    return { ok: false, hpa: hpa.ok ? [] : hpa.problems, situation: situation.ok ? [] : situation.problems };
  const missing = missingValues(hpa.hpa, situation.situation);
  if (missing.length > 0) return { ok: false, hpa: [], situation: missing };
  const input = inputOf(hpa.hpa, situation.situation);
  const memory = memoryOf(situation.situation);
  const result = decide(input, memory);
  return {
    ok: true,
    record: recordDecision({ input, memory, result, applied: { outcome: "nothing-to-do" } }),
  };
}

function metricsOf(hpa: HorizontalPodAutoscaler): readonly MetricSpec[] {
  return defaultHpa(hpa).spec.metrics ?? [];
}

/** Resource metrics may be missing: that is what the controller handles. A metric of a name has to have a value. */
function missingValues(hpa: HorizontalPodAutoscaler, { pods, metrics }: Situation): readonly InputProblem[] {
  return metricsOf(hpa).flatMap(({ pods: ofPods, object, external }, index) => {
    const because = `spec.metrics[${index}] of the HorizontalPodAutoscaler reads it`;
    const ofName = (object ?? external)?.metric.name;
    if (ofName !== undefined && !Object.hasOwn(metrics, ofName))
      return [{ path: `metrics.${ofName}`, message: `is missing; ${because}: write its value` }];
    const each = ofPods?.metric.name;
    if (each !== undefined && !pods.some(({ values }) => Object.hasOwn(values, each)))
      return [
        { path: `pods[0].values.${each}`, message: `is missing; ${because}: write the value of a pod` },
      ];
    return [];
  });
}

function inputOf(hpa: HorizontalPodAutoscaler, situation: Situation): DecideInput {
  const { replicas, pods: groups } = situation;
  const specs = metricsOf(hpa);
  const container = specs.find((spec) => spec.containerResource !== undefined)?.containerResource?.container;
  const pods = groups.flatMap((group, index) => podsOf(group, index, container ?? "app"));
  return {
    nowMs,
    hpa,
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=example" },
    pods: { ok: true, pods: pods.map(({ pod }) => pod) },
    samples: specs.map((spec) => samplesOf(spec, pods, situation)),
  };
}

interface CasePod {
  readonly name: string;
  readonly container: string;
  readonly group: PodGroup;
  readonly pod: Pod;
}

/** Named by their group: a-1, a-2, b-1. */
function podsOf(group: PodGroup, index: number, container: string): readonly CasePod[] {
  const prefix = index < 26 ? String.fromCodePoint(97 + index) : `g${index}`;
  const startMs = nowMs - group.ageMs;
  const readyMs = group.ready ? Math.min(nowMs, startMs + startedMs) : startMs;
  return Array.from({ length: group.count }, (_, place) => {
    const name = `${prefix}-${place + 1}`;
    const pod: Pod = {
      metadata: {
        name,
        labels: { app: "example" },
        ...(group.deleting ? { deletionTimestamp: at(nowMs) } : {}),
      },
      spec: { containers: [{ name: container, resources: { requests: group.requests } }] },
      status: {
        phase: group.phase,
        startTime: at(startMs),
        conditions: [
          { type: "Ready", status: group.ready ? "True" : "False", lastTransitionTime: at(readyMs) },
        ],
      },
    };
    return { name, container, group, pod };
  });
}

function samplesOf(spec: MetricSpec, pods: readonly CasePod[], { metrics }: Situation): MetricSamples {
  const timestamp = at(nowMs);
  const resource = resourceName(spec);
  if (resource !== undefined)
    return {
      pods: pods.flatMap(({ name, container, group }) => {
        const usage = own(group.usage, resource);
        const containers = usage === undefined ? {} : { [container]: { [resource]: usage } };
        return usage === undefined ? [] : [{ name, timestamp, windowSeconds, containers }];
      }),
    };
  const each = spec.pods?.metric.name;
  if (each !== undefined)
    return {
      pods: pods.flatMap(({ name, group }) => {
        const value = own(group.values, each);
        return value === undefined ? [] : [{ name, timestamp, value }];
      }),
    };
  const values = own(metrics, (spec.object ?? spec.external)?.metric.name ?? "") ?? [];
  const [first = "0"] = values;
  return spec.object === undefined
    ? { values: values.map((value) => ({ value, timestamp })) }
    : { value: first, timestamp };
}

/** A visitor's name may be that of a method of objects: "constructor". */
function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function memoryOf({ recommended, scaledUp, scaledDown }: Situation): HpaMemory {
  const events = (list: readonly Past[]) =>
    list.map(({ agoMs, replicas }) => ({ change: replicas, atMs: nowMs - agoMs }));
  return {
    recommendations: recommended.map(({ agoMs, replicas }) => ({ replicas, atMs: nowMs - agoMs })),
    scaleUpEvents: events(scaledUp),
    scaleDownEvents: events(scaledDown),
  };
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
