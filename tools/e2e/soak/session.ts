// A soak from the start of the processes to its findings.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prometheusProgram, until } from "@plimsoll/testbed";
import { carryOut, disrupt } from "./act.ts";
import { type Action, createChurn } from "./churn.ts";
import { planDisruptions } from "./disruptions.ts";
import {
  cronTargets,
  deploymentOf,
  deploymentsPath,
  loadsOf,
  namespace,
  queueOf,
  targets,
} from "./manifests.ts";
import type { SoakOptions } from "./options.ts";
import { createRandom } from "./random.ts";
import { minuteLine, outcomeOf, type SoakRecord, summaryLines } from "./report.ts";
import { createSampler, podsOf, type Sampler } from "./sampler.ts";
import { type SoakStack, startSoakStack } from "./stack.ts";
import { type Watcher, watch } from "./watcher.ts";

const actionEveryMs = 1000;
const lineEveryMs = 60_000;
const checkEveryMs = 1000;

/** Prints a line a minute and a table at the end. @returns the exit code */
export async function runSoak(options: SoakOptions): Promise<number> {
  console.log(`soak of ${options.durationMs / 60_000} minutes, seed ${options.seed}`);
  const stack = await startSoakStack(prometheusProgram());
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupt.abort());
  try {
    const record = await soak(stack, options, interrupt.signal);
    const outcome = outcomeOf(record);
    for (const line of summaryLines(record, outcome)) console.log(line);
    if (options.out !== undefined)
      writeFileSync(options.out, `${JSON.stringify({ ...record, ...outcome }, undefined, 1)}\n`);
    return outcome.findings.length === 0 && !interrupt.signal.aborted ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

interface Running {
  readonly stack: SoakStack;
  readonly watcher: Watcher;
  readonly sampler: Sampler;
  readonly options: SoakOptions;
  readonly startedAtMs: number;
  readonly signal: AbortSignal;
  note(event: string): void;
  found(finding: string): void;
}

async function soak(stack: SoakStack, options: SoakOptions, interrupted: AbortSignal): Promise<SoakRecord> {
  await prepare(stack);
  const watcher = watch(stack);
  const startedAtMs = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAtMs);
  const known = new Set<string>();
  const record: SoakRecord = {
    seed: options.seed,
    durationMs: options.durationMs,
    events: [],
    findings: [],
    lives: [],
  };
  const sampler = createSampler(stack, watcher, { startedAtMs, record });
  const failed = new AbortController();
  const over = AbortSignal.any([interrupted, failed.signal, AbortSignal.timeout(options.durationMs)]);
  const running: Running = {
    stack,
    watcher,
    sampler,
    options,
    startedAtMs,
    signal: over,
    note: (event) => record.events.push({ atMs: sinceStart(), event }),
    found(finding) {
      if (known.has(finding)) return;
      known.add(finding);
      record.findings.push({ atMs: sinceStart(), finding });
      console.log(`  FOUND at ${(sinceStart() / 1000).toFixed(1)} s: ${finding}`);
    },
  };
  try {
    await Promise.all(
      [churn, disruptions, samples, snapshots, checks, lines].map((follow) => follow(running)),
    );
  } finally {
    // Where one of them failed, the others end as well.
    failed.abort();
    await watcher.stop();
  }
  return record;
}

async function prepare({ client, load, startAutoscaler, leader }: SoakStack): Promise<void> {
  const metadata = { name: namespace };
  await client.request({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata },
  });
  for (const name of [...targets, ...cronTargets])
    await client.request({ method: "POST", path: deploymentsPath, body: deploymentOf(name) });
  // As busy as later on, so that the number of pods is level from the beginning.
  load.play([queueOf(4), ...targets.flatMap((name, index) => loadsOf(name, 1 + (index % 8)))]);
  await startAutoscaler();
  await startAutoscaler();
  await until("a leader", () => leader());
}

async function churn({ stack, watcher, options, signal, note, found }: Running): Promise<void> {
  const random = createRandom(options.seed);
  const plan = createChurn(random);
  const act = async (action: Action) => {
    note(JSON.stringify(action));
    await carryOut(action, { stack, watcher, random }).catch((error: unknown) =>
      found(`${JSON.stringify(action)}: ${String(error)}`),
    );
  };
  for (const action of plan.fill()) await act(action);
  await every(actionEveryMs, signal, () => act(plan.next()));
}

async function disruptions({
  stack,
  watcher,
  options,
  startedAtMs,
  signal,
  note,
  found,
}: Running): Promise<void> {
  // Numbers of their own: the order of the actions does not depend on them.
  for (const disruption of planDisruptions(options.durationMs, createRandom(options.seed ^ 0x5f5f5f5f))) {
    await pause(disruption.atMs - (performance.now() - startedAtMs), signal);
    if (signal.aborted) return;
    note(`${disruption.kind} ${disruption.stepMs}`);
    await disrupt(disruption, { stack, watcher }).catch((error: unknown) =>
      found(`${disruption.kind}: ${String(error)}`),
    );
  }
}

/** About sixty of each life, however long the soak is. */
function samples({ sampler, options, signal }: Running): Promise<void> {
  const everyMs = Math.min(30_000, Math.max(5000, options.durationMs / 60));
  return every(everyMs, signal, () => sampler.take());
}

async function snapshots({ stack, watcher, options, startedAtMs, signal, note }: Running): Promise<void> {
  const { snapshots: folder, durationMs } = options;
  if (folder === undefined) return;
  for (const [index, share] of [0.35, 0.95].entries()) {
    await pause(startedAtMs + share * durationMs - performance.now(), signal);
    if (signal.aborted) return;
    const end = watcher.excuse();
    for (const { name, inspector } of stack.processes())
      await inspector
        .writeHeapSnapshot(resolve(folder, `${name}-${index + 1}.heapsnapshot`))
        .catch((error: unknown) => note(`no snapshot of ${name}: ${String(error)}`));
    end();
  }
}

function checks({ stack, watcher, signal, note, found }: Running): Promise<void> {
  const fallen = new Set<string>();
  let leader = stack.leader()?.name;
  return every(checkEveryMs, signal, async () => {
    for (const finding of watcher.takeFindings()) found(finding);
    const next = stack.leader()?.name;
    if (next !== leader) note(`leader ${leader} -> ${next}`);
    leader = next;
    for (const process of stack.processes().filter((one) => one.hasFallen() && !fallen.has(one.name))) {
      fallen.add(process.name);
      found(`${process.name} ended by itself: ${process.process.lines.slice(-3).join(" | ")}`);
    }
  });
}

function lines({ stack, watcher, sampler, startedAtMs, signal }: Running): Promise<void> {
  return every(lineEveryMs, signal, async () => {
    console.log(
      minuteLine({
        atMs: performance.now() - startedAtMs,
        ...watcher.take(),
        pods: podsOf(stack),
        lives: sampler.current(),
      }),
    );
  });
}

/** One after the other, at that pace where they are fast enough. */
async function every(everyMs: number, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  const startedAtMs = performance.now();
  for (let turn = 1; ; turn += 1) {
    await pause(turn * everyMs - (performance.now() - startedAtMs), signal);
    if (signal.aborted) return;
    await run();
  }
}

/** Ends early when the soak does. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => {});
}
