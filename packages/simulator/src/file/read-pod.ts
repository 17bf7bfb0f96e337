// Reads what a file says of the pods of a workload, their metrics and when they are well.
import { podCapacity } from "../plant/capacity.ts";
import type { MetricMeaning, Objective, PodModel, PodStart } from "../scenario.ts";
import { type Section, sectionOf } from "./section.ts";

/** The model of a pod. Only how long a request takes, and what it costs, has no default. */
export function readPod(section: Section): PodModel {
  const serviceTime = section.section("serviceTime");
  const memory = section.section("memory");
  const queueLimit = section.has("queueLimit") ? section.amount("queueLimit") : undefined;
  const timeoutMs = section.has("timeout") ? section.duration("timeout") : undefined;
  const terminationMs = section.duration("termination", "30s");
  const pod: PodModel = {
    container: section.text("container", "app"),
    requests: readResources(section.section("requests")),
    limits: readResources(section.section("limits")),
    serviceTimeMs: serviceTime.duration("mean"),
    serviceVariation: serviceTime.amount("variation", 1),
    concurrency: section.count("concurrency", { min: 1 }),
    cpuPerRequest: section.duration("cpuPerRequest", "0s") / 1000,
    idleCpu: section.quantity("idleCpu", "0") ?? 0,
    memory: {
      base: memory.quantity("base", "100Mi") ?? 0,
      perInFlight: memory.quantity("perRequest", "0") ?? 0,
      isReleased: memory.choice("release", ["true", "false"], "true") === "true",
    },
    balancing: section.choice("balancing", ["shared", "random"], "shared"),
    start: readStart(section.section("start")),
    crashesPerHour: section.amount("crashesPerHour", 0),
    terminationMs,
    drainMs: Math.min(terminationMs, section.duration("drain", "0s")),
    ...(queueLimit === undefined ? {} : { queueLimit }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  checkPod(pod, { section, serviceTime, memory });
  for (const one of [serviceTime, memory, section]) one.close();
  return pod;
}

/** A pod that could serve nothing, or everything, or never run. */
function checkPod(
  pod: PodModel,
  at: { readonly section: Section; readonly serviceTime: Section; readonly memory: Section },
): void {
  const capacity = podCapacity(pod);
  if (!(capacity > 0 && Number.isFinite(capacity))) {
    const isSlow = pod.serviceTimeMs === 0;
    const what = isSlow ? "is zero, so a pod's capacity is unlimited" : "gives a pod no capacity";
    if (isSlow) at.serviceTime.problem("mean", what, "set the time that a request takes, such as 40ms");
    else at.section.problem("limits", `with cpu ${pod.limits.cpu ?? 0} ${what}`, "use a limit above zero");
  }
  if (pod.memory.base > (pod.limits.memory ?? Infinity))
    at.memory.problem("base", "is above the memory limit, so no pod could run", "raise limits.memory");
}

function readResources(section: Section): PodModel["requests"] {
  const [cpu, memory] = [section.quantity("cpu"), section.quantity("memory")];
  section.close();
  return { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

function readStart(section: Section): PodStart {
  const burn = section.has("cpuBurn") ? section.section("cpuBurn") : undefined;
  const start: PodStart = {
    schedule: section.delay("schedule", "0s"),
    pull: section.delay("pull", "2s"),
    ready: section.delay("ready", "10s"),
    ...(burn === undefined ? {} : { burn: { cores: burn.amount("cores"), forMs: burn.duration("for") } }),
  };
  burn?.close();
  section.close();
  return start;
}

const measured = ["requests", "offered", "cpu", "backlog", "in-flight", "memory"] as const;
const queries = [
  "rate",
  "irate",
  "increase",
  "value",
  "avg_over_time",
  "max_over_time",
  "min_over_time",
  "sum_over_time",
  "count_over_time",
  "last_over_time",
] as const;

/** All samples of a window are kept. */
const maxMs = 86_400_000;

/** What each name of a metric means. */
export function readMetrics(
  value: unknown,
  { path, findings }: Section,
): Readonly<Record<string, MetricMeaning>> {
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const all = sectionOf(value, `${path}.metrics`, findings);
  return Object.fromEntries(
    names.map((name) => {
      const section = all.section(name);
      const query = section.choice("query", queries, "rate");
      const meaning: MetricMeaning = {
        of: section.choice("of", measured),
        query,
        windowMs: query === "value" ? 0 : section.duration("window", "1m"),
      };
      if (query !== "value" && meaning.windowMs === 0)
        section.problem("window", "is zero", "use a value such as 1m");
      if (meaning.windowMs > maxMs)
        section.problem("window", "is longer than 1 day", "use a value such as 5m");
      section.close();
      return [name, meaning];
    }),
  );
}

/** When the workload is well. */
export function readObjective(section: Section): Objective {
  const latency = section.has("latency") ? section.section("latency") : undefined;
  const utilization = section.part("utilization", "85%");
  if (utilization === 0) section.problem("utilization", "is zero", "use a value such as 85%");
  const objective: Objective = {
    utilization: utilization === 0 ? 1 : utilization,
    ...(latency === undefined
      ? {}
      : { latency: { quantile: latency.part("quantile", "0.95"), withinMs: latency.duration("within") } }),
  };
  const { quantile = 0.5 } = objective.latency ?? {};
  if (quantile === 0 || quantile === 1)
    latency?.problem("quantile", "must be between 0 and 1", "use a value such as 0.95");
  latency?.close();
  section.close();
  return objective;
}
