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

const byMetrics = "packages/core/src/decide/by-metrics.ts";
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
    line: 'const bySchedule = desired > current ? "Schedules require more" : "No schedule requires more";',
    code: "desired > current",
    becomes: "desired >= current",
    reason: "Equal replicas have no reason.",
  },
  {
    file: byMetrics,
    line: 'return change > 0 ? `${name} above target` : "All metrics below target";',
    code: "change > 0",
    becomes: "change >= 0",
    reason: "No change has returned before.",
  },
  {
    file: "packages/core/src/decide/cooldown.ts",
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
];
