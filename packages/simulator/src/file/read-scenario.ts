// Reads a scenario file: everything that its runs are made from, or all that is wrong with it.
import { instantMs } from "@plimsoll/core";
import { loadCursor } from "../load/cursor.ts";
import type { Load } from "../load/load.ts";
import { podCapacity } from "../plant/capacity.ts";
import type { PodModel, Scenario, Workload } from "../scenario.ts";
import type { Expectation } from "../score/compare.ts";
import { scoreNames } from "../score/scores.ts";
import type { LoadContext } from "./load-context.ts";
import { readColumns } from "./read-autoscalers.ts";
import { readController, readNodes, readScraping } from "./read-cluster.ts";
import { readLoad } from "./read-load.ts";
import { readMetrics, readObjective, readPod } from "./read-pod.ts";
import type { Column, FileSources, ScenarioRead } from "./scenario-file.ts";
import { type Findings, type Section, scalarText, sectionOf } from "./section.ts";

const apiVersion = "autoscaling.plimsoll.dev/v1alpha1";
const maxMs = 2 * 366 * 86_400_000;
const maxSyncs = 50_000_000;
const usualSeed = 1;
const maxRuns = 1000;
/** The seeds of all runs are exact numbers. */
const maxSeed = Number.MAX_SAFE_INTEGER - maxRuns;

/** Takes any data. The sources give the files that it names. */
export function readScenario(value: unknown, sources: FileSources): ScenarioRead {
  const findings: Findings = { problems: [], assumptions: [] };
  const section = sectionOf(value, "", findings);
  section.choice("apiVersion", [apiVersion]);
  section.choice("kind", ["Scenario"]);
  const metadata = section.section("metadata");
  const name = metadata.text("name", "scenario");
  metadata.close();
  const startMs = readStart(section);
  const durationMs = readDuration(section, sources);
  const seed = section.count("seed", { min: 0, max: maxSeed, usual: usualSeed });
  const runs = section.count("runs", { min: 1, max: maxRuns, usual: 1 });
  const scenario: Scenario = {
    startMs,
    durationMs,
    seed,
    controller: readController(section.section("controller")),
    scraping: readScraping(section.section("scraping")),
    ...(section.has("nodes") ? { nodes: readNodes(section.section("nodes")) } : {}),
    workloads: readWorkloads(section, { startMs, sources }),
  };
  const columns = readColumns(section, scenario.workloads, sources);
  const names = scenario.workloads.map((workload) => workload.name);
  const expectations = readExpectations(section, columns, names);
  section.close();
  checkLength(section, scenario);
  const { problems, assumptions } = findings;
  if (problems.length > 0) return { file: undefined, problems };
  return { file: { name, runs, scenario, columns, expectations, assumptions }, problems };
}

function readStart(section: Section): number {
  const text = section.text("start");
  const startMs = instantMs(text);
  if (startMs === undefined && text !== "")
    section.problem("start", "is not a time", "use a value such as 2026-11-27T00:00:00Z");
  return startMs ?? 0;
}

function readDuration(section: Section, { durationMs }: FileSources): number {
  const written = section.duration("duration", durationMs === undefined ? undefined : "1s");
  if (durationMs !== undefined) return durationMs;
  if (written === 0) section.problem("duration", "is zero", "use a value such as 24h");
  return written;
}

function checkLength(section: Section, { durationMs, controller, workloads }: Scenario): void {
  if (durationMs > maxMs)
    section.problem("duration", "is longer than two years", "shorten it, or use --duration");
  const syncs = Math.floor(durationMs / controller.syncPeriodMs) * workloads.length;
  if (syncs <= maxSyncs) return;
  const message = `needs ${syncs.toLocaleString("en")} syncs; at most ${maxSyncs.toLocaleString("en")} are allowed`;
  section.problem("duration", message, "shorten it, or use --duration");
}

function readWorkloads(section: Section, context: LoadContext): readonly Workload[] {
  const names = new Set<string>();
  const workloads = section.list("workloads").map((entry, index) => {
    const of = sectionOf(entry, `workloads[${index}]`, section.findings);
    const workload = readWorkload(of, context);
    if (names.has(workload.name)) of.problem("name", "is already used", "use a unique name");
    names.add(workload.name);
    return workload;
  });
  if (workloads.length === 0) section.problem("workloads", "has no entries", "add the workloads to scale");
  return workloads;
}

function readWorkload(of: Section, context: LoadContext): Workload {
  const load = readLoad(of.section("load"), context);
  const pod = readPod(of.section("pod"));
  const objective = readObjective(of.section("objective"));
  const estimated = replicasFor(load, pod, { utilization: objective.utilization, startMs: context.startMs });
  const workload: Workload = {
    namespace: of.text("namespace", "default"),
    name: of.text("name"),
    kind: of.text("kind", "Deployment"),
    replicas: of.has("replicas") ? of.count("replicas", { min: 0 }) : estimated,
    load,
    pod,
    metrics: readMetrics(of.raw("metrics"), of),
    objective,
  };
  if (!of.has("replicas")) {
    const path = `${of.path}.replicas`;
    of.findings.assumptions.push({ path, value: String(estimated), source: "estimated" });
  }
  of.close();
  return workload;
}

const maxReplicas = 10_000;

/** As many as the load needs at the start. */
function replicasFor(
  load: Load,
  pod: PodModel,
  { utilization, startMs }: { readonly utilization: number; readonly startMs: number },
): number {
  const { perSecond } = loadCursor(load, startMs, { seed: usualSeed, purpose: "estimate" });
  const replicas = Math.ceil(perSecond / (utilization * podCapacity(pod)));
  return Number.isFinite(replicas) ? Math.min(maxReplicas, Math.max(1, replicas)) : 1;
}

const bound = /^(<=|>=|<|>|=)\s*(\d+(?:\.\d+)?)$/;

/** `{ autoscaler: NAME, hotSeconds: "<= 60" }`; without a name it is expected of all. */
function readExpectations(
  section: Section,
  columns: readonly Column[],
  workloads: readonly string[],
): readonly Expectation[] {
  return section.list("expect").flatMap((entry, index) => {
    const of = sectionOf(entry, `expect[${index}]`, section.findings);
    const column = of.has("autoscaler") ? of.text("autoscaler") : undefined;
    const workload = of.has("workload") ? of.text("workload") : undefined;
    const named = columns.filter(({ name }) => column === undefined || name === column);
    if (named.length === 0)
      of.problem(
        "autoscaler",
        "is not an autoscaler in this file",
        `use one of ${columns.map(({ name }) => name).join(", ")}`,
      );
    if (workload !== undefined && !workloads.includes(workload))
      of.problem("workload", "is not a workload in this file", `use one of ${workloads.join(", ")}`);
    const bounds = scoreNames.flatMap((score) => {
      if (!of.has(score)) return [];
      const [, compare, value] = bound.exec(scalarText(of.raw(score))) ?? [];
      if (compare === undefined) of.problem(score, "is not a bound", 'use one such as "<= 60"');
      return [
        { workload, score, compare: (compare ?? "<=") as Expectation["compare"], bound: Number(value ?? 0) },
      ];
    });
    if (bounds.length === 0) {
      const remedy = `use a value such as hotSeconds: "<= 60"`;
      of.findings.problems.push({ path: of.path, message: "sets no bound", remedy });
    }
    of.close();
    return named.flatMap(({ name }) => bounds.map((one) => ({ column: name, ...one })));
  });
}
