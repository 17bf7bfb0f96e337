// The instants at which a controller decided, found from what its decisions left behind.

/** The period of a controller and where it stands in it. */
export type ControllerClock =
  | {
      readonly state: "recovered";
      readonly periodMs: number;
      /** One of its instants, near the first mark. */
      readonly phaseMs: number;
      /** From 0, no common period, to 1, every mark at the same place of it. */
      readonly concentration: number;
      readonly marks: number;
    }
  | {
      readonly state: "unknown";
      readonly why: string;
      readonly concentration: number | undefined;
      readonly marks: number;
    };

/** A period is slower than configured by what a sync takes, never faster. */
const maxFactor = 1.01;
const fewestMarks = 8;
const minConcentration = 0.8;
/** More give no better period, and cost as much again. */
const maxMarks = 2000;
/** Enough to find about where the period is. */
const maxCoarseMarks = 500;
/** So fine is the first search: a tenth of a turn between the first mark and the last. */
const turnsApart = 0.1;
const maxCandidates = 50_000;
/** Marks are whole seconds, rounded down. */
const markMs = 1000;
const anchorMs = 2000;

/**
 * The period in [periodMs, 1.01 periodMs] at which the marks concentrate most. Marks are whole seconds in milliseconds since
 * 1970, ascending: the creation of pods, and requests for their deletion, at changes of the count.
 */
export function recoverClock(marksMs: readonly number[], periodMs: number): ControllerClock {
  const marks = marksMs.length;
  if (marks < fewestMarks) {
    const why = `replicas changed ${marks} times, but the clock needs ${fewestMarks} changes`;
    return { state: "unknown", why, concentration: undefined, marks };
  }
  const used = thinned(marksMs, maxMarks);
  const [first = 0] = used;
  const offsets = used.map((mark) => mark + markMs / 2 - first);
  const found = bestPeriod(offsets, periodMs);
  if (found.concentration < minConcentration) {
    const why = `the changes have no common period: concentration ${found.concentration.toFixed(2)}, and ${minConcentration} is needed`;
    return { state: "unknown", why, concentration: found.concentration, marks };
  }
  const phaseMs = first + (found.angle / (2 * Math.PI)) * found.periodMs;
  const { concentration } = found;
  return { state: "recovered", periodMs: found.periodMs, phaseMs, concentration, marks };
}

/** The instants of a clock within a span. It is led back to each mark that lies within two seconds of an instant. */
export function clockInstants(
  clock: { readonly periodMs: number; readonly phaseMs: number },
  marksMs: readonly number[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly number[] {
  const { periodMs, phaseMs } = clock;
  const instants: number[] = [];
  let at = phaseMs + Math.ceil((fromMs - phaseMs) / periodMs) * periodMs;
  let next = 0;
  while (at <= toMs) {
    while (next < marksMs.length && (marksMs[next] ?? 0) + markMs < at - anchorMs) next++;
    const mark = marksMs[next];
    if (mark !== undefined && mark <= at + anchorMs) at = Math.min(Math.max(at, mark), mark + markMs - 1);
    if (at >= fromMs && at <= toMs) instants.push(at);
    at += periodMs;
  }
  return instants;
}

interface Concentration {
  readonly periodMs: number;
  readonly concentration: number;
  readonly angle: number;
}

/** First over the whole range, then between the neighbors of the best. */
function bestPeriod(offsets: readonly number[], periodMs: number): Concentration {
  const spanMs = Math.max(offsets.at(-1) ?? 0, periodMs);
  const range = periodMs * (maxFactor - 1);
  const stepMs = Math.max((turnsApart * periodMs * periodMs) / spanMs, range / maxCandidates);
  const coarse = search(thinned(offsets, maxCoarseMarks), {
    fromMs: periodMs,
    toMs: periodMs + range,
    stepMs,
  });
  const fromMs = Math.max(periodMs, coarse.periodMs - stepMs);
  const toMs = Math.min(periodMs + range, coarse.periodMs + stepMs);
  return search(offsets, { fromMs, toMs, stepMs: stepMs / 20 });
}

function search(
  offsets: readonly number[],
  { fromMs, toMs, stepMs }: { readonly fromMs: number; readonly toMs: number; readonly stepMs: number },
): Concentration {
  let best = concentrationAt(offsets, fromMs);
  const count = Math.ceil((toMs - fromMs) / stepMs);
  for (let n = 1; n <= count; n++) {
    const one = concentrationAt(offsets, Math.min(toMs, fromMs + n * stepMs));
    if (one.concentration > best.concentration) best = one;
  }
  return best;
}

/** The length of the mean of the marks as unit vectors on a circle of this period. */
function concentrationAt(offsets: readonly number[], periodMs: number): Concentration {
  let [x, y] = [0, 0];
  for (const offset of offsets) {
    const angle = (2 * Math.PI * (offset % periodMs)) / periodMs;
    x += Math.cos(angle);
    y += Math.sin(angle);
  }
  return { periodMs, concentration: Math.hypot(x, y) / offsets.length, angle: Math.atan2(y, x) };
}

/** Spread over the whole span. */
function thinned(marks: readonly number[], max: number): readonly number[] {
  if (marks.length <= max) return marks;
  const every = (marks.length - 1) / (max - 1);
  return Array.from({ length: max }, (_, n) => marks[Math.round(n * every)] ?? 0);
}
