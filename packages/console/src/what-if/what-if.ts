// Decides again from a record, with other values: the same `decide` as in the autoscaler, in the page.
import {
  type DecideInput,
  type DecideResult,
  type DecisionDifference,
  type DecisionRecord,
  decide,
  diffDecisions,
  type HpaSpec,
  type MetricSpec,
  type MetricTarget,
  type MetricTrace,
  replay,
} from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { sourceFields } from "@plimsoll/core/internal/objects";
import { type Edits, paramsOf } from "./edits.ts";
import { withUnready } from "./pods.ts";
import { milliOf } from "./quantities.ts";
import { samplesOf, samplesWith } from "./samples.ts";

/** What was decided, and what would have been. */
export interface WhatIf {
  readonly recorded: DecideResult;
  readonly input: DecideInput;
  /** With the recorded values and all other edits: which metrics are looked at then, and which pods count. */
  readonly basis: DecideResult;
  readonly changed: DecideResult;
  readonly differences: readonly DecisionDifference[];
  /** Edits that could not be made, in sentences. */
  readonly problems: readonly string[];
}

/** The recorded decision, made again with its trace. Computed once for each record. */
export function recordedResult(record: DecisionRecord): DecideResult {
  return replay(record);
}

export function whatIf(record: DecisionRecord, recorded: DecideResult, edits: Edits): WhatIf {
  const problems: string[] = [];
  const spec = editedSpec(record, edits, problems);
  const asRecorded = editedInput(record, spec, edits);
  const isOnlyValues = Object.keys(paramsOf({ ...edits, values: {} })).length === 0;
  const basis = isOnlyValues ? recorded : decide(asRecorded, record.memory);
  const hasValues = Object.keys(edits.values).length > 0;
  const input = hasValues
    ? { ...asRecorded, samples: editedSamples({ record, asRecorded, basis }, edits, problems) }
    : asRecorded;
  const changed = hasValues ? decide(input, record.memory) : basis;
  const differences = diffDecisions(recorded.decision, changed.decision);
  return { recorded, input, basis, changed, differences, problems };
}

/** The metrics with their defaults: there is one sample for each. */
export function metricSpecs({ input }: DecisionRecord): readonly MetricSpec[] {
  return defaultHpa(input.hpa).spec.metrics ?? [];
}

export function metricTraces({ decision }: DecideResult): readonly MetricTrace[] {
  return decision.trace.filter((step): step is MetricTrace => step.kind === "metric");
}

function editedInput(record: DecisionRecord, spec: HpaSpec, { min, max, unready }: Edits): DecideInput {
  const { input, semantics } = record;
  const { schedules } = input;
  const effective = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  return {
    ...input,
    options: { semantics, ...input.options },
    hpa: { ...input.hpa, spec },
    ...(unready === undefined ? {} : { pods: withUnready(input.pods, unready) }),
    // Schedules stay as they were; bounds that are set here count instead of theirs.
    ...(schedules === undefined || (min === undefined && max === undefined)
      ? {}
      : { schedules: { ...schedules, effective } }),
  };
}

interface Editing {
  readonly record: DecisionRecord;
  /** With all edits but those of values. */
  readonly asRecorded: DecideInput;
  readonly basis: DecideResult;
}

function editedSamples(
  { record, asRecorded, basis }: Editing,
  edits: Edits,
  problems: string[],
): DecideInput["samples"] {
  const { samples } = record.input;
  const traces = metricTraces(basis);
  const specs = metricSpecs(record);
  return samples.map((own, index) => {
    const value = edits.values[index];
    const [spec, metric] = [specs[index], traces.find((trace) => trace.index === index)];
    if (value === undefined) return own;
    // Where limits decide alone no metric is looked at, whatever it has.
    if (spec === undefined || metric === undefined) return own;
    const made = samplesWith(own, spec, metric, value) ?? samplesOf(asRecorded, spec, value);
    if (made === undefined) problems.push(`metric ${index + 1}: invalid value "${value}", use a quantity`);
    return made ?? own;
  });
}

/** The specification with what was edited, and nothing else: what the patch has. Edits with a problem are left out. */
function editedSpec(record: DecisionRecord, edits: Edits, problems: string[]): HpaSpec {
  const { spec } = record.input.hpa;
  const { targets } = edits;
  const { min, max, tolerance, downWindowSeconds } = allowed(record, edits, problems);
  return {
    ...spec,
    ...(min === undefined ? {} : { minReplicas: min }),
    ...(max === undefined ? {} : { maxReplicas: max }),
    ...(Object.keys(targets).length === 0 ? {} : { metrics: editedMetrics(record, targets, problems) }),
    ...behaviorOf(spec.behavior, tolerance, downWindowSeconds),
  };
}

type Settings = Pick<Edits, "min" | "max" | "tolerance" | "downWindowSeconds">;

const maxWindowSeconds = 3_600;

/** Without what the API server would refuse, each with why. */
function allowed(record: DecisionRecord, edits: Edits, problems: string[]): Settings {
  const { min, max, tolerance, downWindowSeconds } = edits;
  const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const isTolerance = tolerance === undefined || (milliOf(tolerance) ?? -1n) >= 0n;
  const isWindow = downWindowSeconds === undefined || downWindowSeconds <= maxWindowSeconds;
  const refused = refusedLimits(record, limits);
  if (refused !== false) problems.push(refused);
  if (!isTolerance) problems.push(`tolerance: invalid quantity "${tolerance}", use 0 or more`);
  if (!isWindow) problems.push(`window: ${downWindowSeconds} is above ${maxWindowSeconds}`);
  return {
    ...(refused === false ? limits : {}),
    ...(isTolerance && tolerance !== undefined ? { tolerance } : {}),
    ...(isWindow && downWindowSeconds !== undefined ? { downWindowSeconds } : {}),
  };
}

function refusedLimits(record: DecisionRecord, edited: Pick<Edits, "min" | "max">): string | false {
  const { minReplicas = 1, maxReplicas } = record.input.hpa.spec;
  const { min = minReplicas, max = maxReplicas } = edited;
  if (max < 1) return `max: ${max} is too low, use at least 1`;
  const isEdited = edited.min !== undefined || edited.max !== undefined;
  return isEdited && max < min && `max: ${max} is less than min, which is ${min}`;
}

/** What can be decided, and that the API server would refuse all the same. */
export function patchProblems(record: DecisionRecord, { min }: Edits): readonly string[] {
  const mayBeZero =
    record.input.schedules !== undefined ||
    metricSpecs(record).some(({ external, object }) => external !== undefined || object !== undefined);
  return min === 0 && !mayBeZero ? ["min: 0 needs an External or Object metric, use at least 1"] : [];
}

function behaviorOf(
  behavior: HpaSpec["behavior"],
  tolerance: string | undefined,
  downWindowSeconds: number | undefined,
): Pick<HpaSpec, "behavior"> {
  if (tolerance === undefined && downWindowSeconds === undefined) return {};
  const tolerated = tolerance === undefined ? {} : { tolerance };
  const window = downWindowSeconds === undefined ? {} : { stabilizationWindowSeconds: downWindowSeconds };
  return {
    behavior: {
      ...behavior,
      ...(tolerance === undefined ? {} : { scaleUp: { ...behavior?.scaleUp, ...tolerated } }),
      scaleDown: { ...behavior?.scaleDown, ...window, ...tolerated },
    },
  };
}

function editedMetrics(
  record: DecisionRecord,
  targets: Edits["targets"],
  problems: string[],
): readonly MetricSpec[] {
  return metricSpecs(record).map((spec, index) => {
    const text = targets[index];
    if (text === undefined) return spec;
    const source = sourceFields.find((name) => spec[name] !== undefined);
    const target = source === undefined ? undefined : spec[source]?.target;
    const edited = target === undefined ? undefined : targetWith(target, text);
    if (edited === undefined || source === undefined) {
      const number = target?.type === "Utilization" ? "a whole number" : "a quantity";
      problems.push(`metric ${index + 1}: invalid target "${text}", use ${number} above 0`);
      return spec;
    }
    return { ...spec, [source]: { ...spec[source], target: edited } };
  });
}

function targetWith(target: MetricTarget, text: string): MetricTarget | undefined {
  const milli = milliOf(text);
  if (milli === undefined || milli <= 0n) return undefined;
  switch (target.type) {
    case "Utilization":
      return milli % 1000n === 0n ? { ...target, averageUtilization: Number(milli / 1000n) } : undefined;
    case "Value":
      return { ...target, value: text.trim() };
    default:
      return { ...target, averageValue: text.trim() };
  }
}
