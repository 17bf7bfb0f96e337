// What a search varies, and over which values.
import { type ParameterName, type Parameters, type ParameterValue, parameterNames } from "./candidate.ts";
import { downPolicies, upPolicies } from "./policies.ts";
import type { ParameterLimit, TuneSpace } from "./request.ts";

/** One parameter with its values in their order: a step is to the one beside. */
export interface Dimension {
  readonly name: ParameterName;
  readonly values: readonly ParameterValue[];
  /** Also those that are not tried: what a step is where a candidate is checked; `values` when absent. */
  readonly grid?: readonly ParameterValue[];
  /** Position of today's value. */
  readonly today: number;
}

/** What decides which parameters are open. */
export interface SpaceOf {
  readonly today: Parameters;
  readonly isUtilization: boolean;
  /** The load was more than maxReplicas could take: more may be tried. */
  readonly isCensored: boolean;
  /** Too few days: target and behavior alone. */
  readonly isThin: boolean;
  /** There are weeks enough, and pods that a floor can be counted in. */
  readonly hasFloors: boolean;
  /** The API knows a tolerance of its own in each direction. */
  readonly hasTolerance: boolean;
}

const targetSteps = 20;
const targetStep = 0.025;
/** Up to six times today's. */
const maxTargetSteps = 200;
/** Down to a fortieth of it. */
const maxStepsDown = 39;
const maxUtilization = 500;
const utilizations = { min: 30, max: 95, step: 2 };
const downWindows = [60, 120, 180, 240, 300, 420, 600, 900, 1200, 1800];
const upWindows = [0, 15, 30, 60, 90, 120];
const tolerances = [0, 0.05, 0.1, 0.15];
/** Quantiles of the highest minutes of a slot. */
export const floors: readonly ParameterValue[] = ["none", 0.5, 0.75, 0.9, 1];
const minFactors = [0.25, 0.5, 0.75, 1.25, 1.5, 2, 3];
const maxFactors = [1.25, 1.5, 2];

/** Dimensions with more than one value, each narrowed to what is allowed; today's value is always in. */
export function dimensionsOf(of: SpaceOf, limits: TuneSpace = {}): readonly Dimension[] {
  return parameterNames.flatMap((name): readonly Dimension[] => {
    const own = of.today[name];
    if (own === undefined) return [];
    const limit = limits[name];
    const open = valuesOf(name, own, { of, range: rangeOf(limit) });
    const values = ordered(name, [...(limit === undefined ? open : limited(open, limit)), own]);
    const grid = ordered(name, [...open, ...values]);
    return values.length < 2 ? [] : [{ name, values, grid, today: values.indexOf(own) }];
  });
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

function rangeOf(limit: ParameterLimit | undefined): Range {
  return limit === undefined || limit === "today" || "includes" in limit ? {} : limit;
}

function valuesOf(
  name: ParameterName,
  own: ParameterValue,
  { of, range }: { readonly of: SpaceOf; readonly range: Range },
): readonly ParameterValue[] {
  if (of.isThin && needsDays.has(name)) return [];
  return values[name](Number(own), of, range);
}

/** Of what is not a target and no behavior, a few days say too little. */
const needsDays: ReadonlySet<ParameterName> = new Set(["minReplicas", "maxReplicas", "floor"]);

type Values = (own: number, of: SpaceOf, range: Range) => readonly ParameterValue[];

const values: Readonly<Record<ParameterName, Values>> = {
  target: (own, { isUtilization }, range) => (isUtilization ? percentages(own, range) : amounts(own, range)),
  minReplicas: (own, { today }) => minimums(own, Number(today.maxReplicas)),
  maxReplicas: (own, { isCensored }) =>
    isCensored ? maxFactors.map((factor) => Math.ceil(own * factor)) : [],
  scaleDownWindow: () => downWindows,
  scaleUpWindow: () => upWindows,
  scaleDownPolicies: () => Object.keys(downPolicies),
  scaleUpPolicies: () => Object.keys(upPolicies),
  toleranceDown: (_, { hasTolerance }) => (hasTolerance ? tolerances : []),
  toleranceUp: (_, { hasTolerance }) => (hasTolerance ? tolerances : []),
  floor: (_, { hasFloors }) => (hasFloors ? floors : []),
};

/** Zero replicas are another way of working: they stay. */
function minimums(own: number, max: number): readonly number[] {
  if (own === 0) return [];
  const near = minFactors.map((factor) => Math.max(1, Math.round(own * factor)));
  return near.filter((one) => one <= max);
}

/** Half of today's to one and a half of it, or as far as the space goes, in steps of a fortieth. */
function amounts(own: number, { min = own, max = own }: Range): readonly number[] {
  const stepSize = own * targetStep;
  const [below, above] = [own - min, max - own].map((distance) =>
    Math.min(maxTargetSteps, Math.max(targetSteps, Math.round(distance / stepSize))),
  );
  const down = Math.min(below ?? targetSteps, maxStepsDown);
  return Array.from({ length: down + (above ?? targetSteps) + 1 }, (_, at) =>
    Number((own * (1 + (at - down) * targetStep)).toPrecision(3)),
  );
}

/** In steps from today's. */
function percentages(own: number, range: Range): readonly number[] {
  const { step } = utilizations;
  const min = Math.max(1, Math.min(utilizations.min, range.min ?? utilizations.min));
  const max = Math.min(maxUtilization, Math.max(utilizations.max, range.max ?? utilizations.max));
  const first = own - Math.ceil((own - min) / step) * step;
  const count = Math.max(0, Math.floor((max - first) / step) + 1);
  return Array.from({ length: count }, (_, at) => first + at * step).filter((one) => one >= min);
}

function limited(values: readonly ParameterValue[], limit: ParameterLimit): readonly ParameterValue[] {
  // What is not open at all is not opened by a list.
  if (limit === "today" || values.length === 0) return [];
  if ("includes" in limit) return limit;
  const { min = -Infinity, max = Infinity } = limit;
  return values.filter((value) => typeof value === "number" && value >= min && value <= max);
}

const named: Readonly<Partial<Record<ParameterName, readonly ParameterValue[]>>> = {
  scaleDownPolicies: Object.keys(downPolicies),
  scaleUpPolicies: Object.keys(upPolicies),
  floor: floors,
};

/** Without doubles: numbers by their size, names in the order of their list, others at the end. */
function ordered(name: ParameterName, values: readonly ParameterValue[]): readonly ParameterValue[] {
  const list = named[name] ?? [];
  const placeOf = (value: ParameterValue): number => {
    if (list.length === 0) return Number(value);
    const at = list.indexOf(value);
    return at < 0 ? list.length : at;
  };
  return [...new Set(values)].sort((a, b) => placeOf(a) - placeOf(b));
}
