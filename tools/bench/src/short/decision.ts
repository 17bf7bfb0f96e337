// A decision with its trace, against parsing the usage that it is made from.
import { type DecideInput, decide, type Pod, preparePods } from "@plimsoll/core";
import type { Check } from "./check.ts";

/** Above what was seen, idle and busy, and below what decisions made twice give: see docs/developers/performance.md. */
const bounds = { prepared: 0.54, plain: 1.05 };
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

/** The best round of each counts: what else the machine does only ever adds. */
export function measureDecisions(): readonly Check[] {
  const plain = Array.from({ length: objects }, (_, index) => workload(index));
  const prepared = plain.map((one) => ({
    ...one,
    pods: { ok: true as const, pods: preparePods(one.pods.pods) },
  }));
  const texts = plain.map(({ samples }) => JSON.stringify(samples));
  const decideAll = (all: readonly DecideInput[]) => () =>
    all.reduce((sum, one) => sum + decide(one).decision.desiredReplicas, 0);
  const floor = () => texts.reduce((sum, text) => sum + (JSON.parse(text) as readonly unknown[]).length, 0);
  const turns = [floor, decideAll(prepared), decideAll(plain)].map((run) => ({ run, best: Infinity }));
  for (let round = 0; round < rounds; round++)
    for (const turn of turns) turn.best = Math.min(turn.best, cpuMicros(turn.run));
  const [parsing = NaN, ready = NaN, raw = NaN] = turns.map(({ best }) => best / passes / objects);
  const of = (micros: number) => `${micros.toFixed(1)} and ${parsing.toFixed(1)} µs`;
  return [
    {
      what: "decide, 100 prepared pods / parsing their usage",
      ratio: ready / parsing,
      atMost: bounds.prepared,
      of: of(ready),
    },
    {
      what: "decide, 100 pods / parsing their usage",
      ratio: raw / parsing,
      atMost: bounds.plain,
      of: of(raw),
    },
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
