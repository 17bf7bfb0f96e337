// A decision with its trace, against a loop that looks up the usage of each pod.
import { type DecideInput, decide, type Pod, preparePods } from "@plimsoll/core";
import type { Check } from "./check.ts";

/** Largest seen in ten runs on a busy machine: see docs/performance.md. */
const bounds = { prepared: 3.1, plain: 6.3 };
const objects = 200;
const podsEach = 100;
const rounds = 15;
const passes = 5;
const nowMs = Date.parse("2026-01-01T12:00:00Z");

interface Workload extends DecideInput {
  readonly pods: { readonly ok: true; readonly pods: readonly Pod[] };
}

/** Through JSON, because that is where the objects of a controller come from. */
function workload(index: number): Workload {
  const names = Array.from({ length: podsEach }, (_, n) => `w-${index}-${n}`);
  const metadata = { name: `w-${index}`, namespace: "bench", generation: 1, uid: `0-${index}` };
  const target = { type: "Utilization", averageUtilization: 60 };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: metadata.name };
  const metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 1000, metrics };
  const samples = names.map((name, n) => ({
    name,
    timestamp: "2026-01-01T11:59:45Z",
    windowSeconds: 30,
    containers: { app: { cpu: `${250 + ((n * 37) % 160)}m` } },
  }));
  const input = {
    nowMs,
    hpa: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec },
    scale: { ok: true, specReplicas: podsEach, statusReplicas: podsEach, selector: "app=w" },
    pods: { ok: true, pods: names.map(pod) },
    samples: [{ pods: samples }],
  };
  return JSON.parse(JSON.stringify(input)) as Workload;
}

function pod(name: string): Pod {
  const since = "2026-01-01T06:00:10Z";
  return {
    metadata: { name, namespace: "bench", labels: { app: "w" } },
    spec: { containers: [{ name: "app", resources: { requests: { cpu: "500m" } } }] },
    status: {
      phase: "Running",
      startTime: since,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
    },
  };
}

function loopOver(pods: readonly Pod[], usage: ReadonlyMap<string, number>): number {
  let total = 0;
  let ready = 0;
  for (const { metadata, status } of pods) {
    const sample = usage.get(metadata?.name ?? "");
    if (sample === undefined || status?.phase !== "Running") continue;
    if (status.conditions?.find(({ type }) => type === "Ready")?.status !== "True") continue;
    total += sample;
    ready++;
  }
  return Math.ceil(total / 300 / Math.max(1, ready));
}

/** The best round of each counts: what else the machine does only ever adds. */
export function measureDecisions(): readonly Check[] {
  const plain = Array.from({ length: objects }, (_, index) => workload(index));
  const prepared = plain.map((one) => ({
    ...one,
    pods: { ok: true as const, pods: preparePods(one.pods.pods) },
  }));
  const usage = plain.map(
    ({ pods }) => new Map(pods.pods.map(({ metadata }, n) => [metadata?.name ?? "", 250 + n])),
  );
  const decideAll = (all: readonly DecideInput[]) => () =>
    all.reduce((sum, one) => sum + decide(one).decision.desiredReplicas, 0);
  const floor = () => plain.reduce((sum, { pods }, i) => sum + loopOver(pods.pods, usage[i] ?? new Map()), 0);
  const turns = [floor, decideAll(prepared), decideAll(plain)].map((run) => ({ run, best: Infinity }));
  for (let round = 0; round < rounds; round++)
    for (const turn of turns) turn.best = Math.min(turn.best, cpuMicros(turn.run));
  const [join = NaN, ready = NaN, raw = NaN] = turns.map(({ best }) => best / passes / objects);
  const of = (micros: number) => `${micros.toFixed(1)} and ${join.toFixed(1)} µs`;
  return [
    {
      what: "decide, 100 prepared pods / a loop over them",
      ratio: ready / join,
      atMost: bounds.prepared,
      of: of(ready),
    },
    { what: "decide, 100 pods / a loop over them", ratio: raw / join, atMost: bounds.plain, of: of(raw) },
  ];
}

let kept = 0;

function cpuMicros(run: () => number): number {
  const before = process.cpuUsage();
  for (let pass = 0; pass < passes; pass++) kept += run();
  const { user, system } = process.cpuUsage(before);
  if (!Number.isFinite(kept)) throw new Error("a decision gave no number");
  return user + system;
}
