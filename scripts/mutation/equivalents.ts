// Mutants that no test can kill, each with the reason. They count neither as killed nor as survived.

export interface Equivalent {
  readonly file: string;
  /** The line in which the mutated code begins, without indentation. */
  readonly line: string;
  /** What of it is mutated; as far as the end of the line. */
  readonly code: string;
  /** The code in its place. */
  readonly becomes: string;
  readonly reason: string;
}

const decide = "packages/core/src/decide";
const byMetrics = `${decide}/by-metrics.ts`;
const elector = "packages/kube/src/leases/elector.ts";
const division = "packages/kube/src/leases/shard-division.ts";
const liveness = "packages/kube/src/leases/liveness.ts";
const reconcile = "packages/autoscaler/src/reconcile";

export const equivalents: readonly Equivalent[] = [
  {
    file: elector,
    line: "if (!ending.signal.aborted) running ??= run();",
    code: "!ending.signal.aborted",
    becomes: "true",
    reason: "run() looks at the same signal before it does anything.",
  },
  ...[elector, division].map((file) => ({
    file,
    line: "safely(() => options.onError?.(error));",
    code: "options.onError?.(error)",
    becomes: "options.onError(error)",
    reason: "safely() drops what the call throws.",
  })),
  {
    file: elector,
    line: "isDisturbed: false,",
    code: "false",
    becomes: "true",
    reason: "The first look at the lease of another never finds it expired, and sets this.",
  },
  {
    file: liveness,
    line: "hadExpired: false,",
    code: "false",
    becomes: "true",
    reason:
      "A lease that is seen for the first time has not expired, and begin() sets this before the next list.",
  },
  {
    file: liveness,
    line: "members.delete(name);",
    code: "members.delete(name);",
    becomes: ";",
    reason: "It keeps memory small: who is lost and owns nothing stays lost.",
  },
  {
    file: byMetrics,
    line: 'return change > 0 ? `${name} above target` : "All metrics below target";',
    code: "change > 0",
    becomes: "change >= 0",
    reason: "No change has returned before.",
  },
  {
    file: `${decide}/cooldown.ts`,
    line: "const windowMs = desired > current ? options.upscaleForbiddenWindowMs : options.downscaleForbiddenWindowMs;",
    code: "desired > current",
    becomes: "desired >= current",
    reason: "Equal replicas have returned before.",
  },
  {
    file: "packages/autoscaler/src/decisions/packed-memory.ts",
    line: "fields.every(([name, value], i) => name === others[i]?.[0] && isSameField(value, others[i][1]))",
    code: "others[i]?.[0]",
    becomes: "others[i][0]",
    reason: "Both lists are as long.",
  },
  {
    file: `${reconcile}/conflicts/conflict-text.ts`,
    line: 'return `${otherWriterNote({ by, count, writes: "replicas" })} since ${formatInstant(sinceMs)}`;',
    code: '"replicas"',
    becomes: '""',
    reason: 'The note reads whatever is not "status" as replicas.',
  },
  {
    file: `${reconcile}/conflicts/scale-target-index.ts`,
    line: 'const { apiVersion = "", kind, name } = object.spec.scaleTargetRef;',
    code: '""',
    becomes: '"Stryker was here!"',
    reason: "Neither has a slash.",
  },
  {
    file: byMetrics,
    line: 'const message = `the HPA was unable to compute the replica count: ${first?.message ?? ""}`;',
    code: '""',
    becomes: '"Stryker was here!"',
    reason: "Without replicas, a metric blocks.",
  },
  {
    file: byMetrics,
    line: 'const message = `the HPA was unable to compute the replica count: ${first?.message ?? ""}`;',
    code: "first?.message",
    becomes: "first.message",
    reason: "Without replicas, a metric blocks.",
  },
  {
    file: byMetrics,
    line: 'setFalse(draft, "ScalingActive", first?.reason ?? "", message);',
    code: '""',
    becomes: '"Stryker was here!"',
    reason: "Without replicas, a metric blocks.",
  },
  {
    file: byMetrics,
    line: 'setFalse(draft, "ScalingActive", first?.reason ?? "", message);',
    code: "first?.reason",
    becomes: "first.reason",
    reason: "Without replicas, a metric blocks.",
  },
  {
    file: `${decide}/failure/good-samples.ts`,
    line: "held[metricIdentity(spec)] = { samples: read.samples[i] ?? { pods: [] }, atMs: read.nowMs };",
    code: "{ pods: [] }",
    becomes: "{}",
    reason: "A metric without samples is not read.",
  },
  {
    file: `${decide}/failure/identity.ts`,
    line: "const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));",
    code: "a < b",
    becomes: "a <= b",
    reason: "No label comes twice.",
  },
  {
    file: `${decide}/metrics/object.ts`,
    line: '? averageProposal(reading.milli, targetMilli, "object", context)',
    code: '"object"',
    becomes: '""',
    reason: 'Only "external" makes a difference.',
  },
  {
    file: `${decide}/pods/match.ts`,
    line: "if (index >= 0) matched++;",
    code: "index >= 0",
    becomes: "false",
    reason: "Speed: the search for other pods finds none.",
  },
  {
    file: `${decide}/pods/survey.ts`,
    line: "const hasSample = at >= 0 && at < samples.length && usage.read(at);",
    code: "at >= 0",
    becomes: "true",
    reason: "Speed: beyond the list, no sample is read either.",
  },
  {
    file: `${decide}/pods/survey.ts`,
    line: "const hasSample = at >= 0 && at < samples.length && usage.read(at);",
    code: "at >= 0 && at < samples.length",
    becomes: "true",
    reason: "Speed: beyond the list, no sample is read either.",
  },
  {
    file: `${decide}/replicas/per-pod.ts`,
    line: 'const fullOrNothing = how.ratio < 1.0 ? how.gauge.fullShareText : "0";',
    code: "how.ratio < 1.0",
    becomes: "how.ratio <= 1.0",
    reason: "A ratio of exactly 1 fills nothing in.",
  },
  {
    file: `${decide}/replicas/per-pod.ts`,
    line: "if (how.ratio < 1.0) usage = sum(usage, how.gauge.fullShare(request));",
    code: "how.ratio < 1.0",
    becomes: "how.ratio <= 1.0",
    reason: "A ratio of exactly 1 fills nothing in.",
  },
  ...["first < 1.0", "second > 1.0", "first > 1.0", "second < 1.0"].map((code) => ({
    file: `${decide}/replicas/per-pod.ts`,
    line: "return (first < 1.0 && second > 1.0) || (first > 1.0 && second < 1.0);",
    code,
    becomes: code.replace(" 1.0", "= 1.0"),
    reason: "A second ratio of exactly 1 has returned before, and a first one of 1 has no other second one.",
  })),
  ...["ratio < 1.0", "ratio > 1.0"].map((code) => ({
    file: `${decide}/replicas/per-pod.ts`,
    line: "return (ratio < 1.0 && replicas > current) || (ratio > 1.0 && replicas < current);",
    code,
    becomes: code.replace(" 1.0", "= 1.0"),
    reason: "A second ratio of exactly 1 has returned before.",
  })),
  {
    file: `${decide}/schedules/exclusions.ts`,
    line: "if (isEmpty(exclusions)) return { isExcluded: false, untilMs: Infinity };",
    code: "isEmpty(exclusions)",
    becomes: "false",
    reason: "Speed: the searches of empty lists find the same.",
  },
  {
    file: `${decide}/schedules/exclusions.ts`,
    line: "if (isEmpty(exclusions)) return -Infinity;",
    code: "isEmpty(exclusions)",
    becomes: "false",
    reason: "Speed: the searches of empty lists find the same.",
  },
  {
    file: `${decide}/schedules/run-by-cron.ts`,
    line: "const stopLocal = untilMs === Infinity ? Infinity : reachedLocal(untilMs, offset) + dayMs;",
    code: "untilMs === Infinity",
    becomes: "true",
    reason: "Speed: the run is cut at untilMs anyway.",
  },
  {
    file: `${decide}/schedules/run-by-cron.ts`,
    line: "if (local === undefined) return { toMs: instantOfLocal(startLocal, offset) + searchedMs, isCut: true };",
    code: "local === undefined",
    becomes: "false",
    reason: "The reader refuses an end that never occurs.",
  },
  {
    file: `${decide}/schedules/run-by-duration.ts`,
    line: "while (!isSpent(work) && (edgeMs - day * dayMs) * direction > -2 * dayMs) {",
    code: "(edgeMs - day * dayMs) * direction",
    becomes: "(edgeMs - day * dayMs) / direction",
    reason: "The direction is 1 or -1.",
  },
  {
    file: `${decide}/schedules/state.ts`,
    line: "if (next === undefined || last === undefined) return { entry: { ...entry, floor }, stepMs: undefined };",
    code: "last === undefined",
    becomes: "false",
    reason: "The last step always reaches the floor.",
  },
  {
    file: `${decide}/steps/stabilize.ts`,
    line: "scaleUpEvents: [],",
    code: "[]",
    becomes: '["Stryker was here"]',
    reason: "Only recommendations are read of it.",
  },
  {
    file: `${decide}/steps/stabilize.ts`,
    line: "scaleDownEvents: [],",
    code: "[]",
    becomes: '["Stryker was here"]',
    reason: "Only recommendations are read of it.",
  },
];
