// Plays a scenario: builds the world, lets its events happen, and checks the invariants.
import { messageOf } from "@plimsoll/component-base";
import { guardRuntime } from "../guard/guard.ts";
import { createNetwork } from "../network/network.ts";
import { createProcesses, type Processes } from "../process/processes.ts";
import { createRandom } from "../random/random.ts";
import type { PlannedEvent, Scenario, SetupObject } from "../scenario/scenario.ts";
import { followed } from "../supervisor/followed.ts";
import type { Status } from "../supervisor/status.ts";
import { createVirtualTime, StandstillError, type VirtualTime } from "../time/virtual-time.ts";
import { createTrace } from "../trace/trace.ts";
import type { Watchdog } from "../watchdog/watchdog.ts";
import { createObservers, type Observers } from "./observers.ts";
import type { Parts } from "./parts.ts";
import type { RunResult } from "./violation.ts";
import type { Invariant, Observation, World } from "./world.ts";

export interface RunOptions {
  /** Gets the trace in large pieces. */
  readonly writeTrace?: (text: string) => void;
  /** Ends the run early. */
  readonly signal?: AbortSignal;
  /** Ends a step that never ends by itself; without one the run never ends either. */
  readonly watchdog?: Watchdog | undefined;
  /** Gets what happens, for the process that supervises this one. */
  readonly report?: ((status: Status) => void) | undefined;
}

/** What starts at the same time in a cluster does not start in the same millisecond. */
const startSpreadMs = 2000;

/** One run at a time: it guards the whole runtime. */
export async function runScenario(
  scenario: Scenario,
  parts: Parts,
  { writeTrace, signal, watchdog, report }: RunOptions = {},
): Promise<RunResult> {
  const time = createVirtualTime(scenario.startMs);
  const trace = createTrace(writeTrace);
  const invariants: Invariant[] = [];
  const all = createObservers(time, trace, () => invariants);
  const observers = report === undefined ? all : followed(all, { scenario, time, report });
  const release = guardRun(observers);
  const abort = () => time.halt();
  signal?.addEventListener("abort", abort);
  const counts = { faults: new Map<string, number>(), requests: 0 };
  try {
    const world = buildWorld(scenario, parts, { time, observers, counts });
    invariants.push(...parts.invariants.map((create) => create(world)));
    for (const object of scenario.setup.objects) observers.note(apply(world, object));
    startProcesses(world);
    for (const event of scenario.events) plan(world, parts, event, counts.faults);
    if (signal?.aborted !== true) await pass(time, scenario, { observers, watchdog });
    if (signal?.aborted !== true && observers.violation() === undefined) observers.end();
    const { lines: traceLines } = trace;
    const hash = trace.digest();
    for (const name of world.processes.names) world.processes.get(name)?.kill();
    return {
      hash,
      traceLines,
      violation: observers.violation(),
      simulatedMs: time.nowMs - scenario.startMs,
      faults: counts.faults,
      checks: observers.checks(),
      steps: time.steps,
      requests: counts.requests,
    };
  } finally {
    signal?.removeEventListener("abort", abort);
    release();
    report?.({ kind: "ends" });
  }
}

/** What the simulation throws fails the run as well, so that it is reported with its seed. */
async function pass(
  time: VirtualTime,
  scenario: Scenario,
  { observers, watchdog }: { readonly observers: Observers } & Pick<RunOptions, "watchdog">,
): Promise<void> {
  let release = (): void => {};
  const interruptions = watchdog?.interruptions;
  // Steps that follow in the same turn would hide the one that did not end.
  const check = (): void => {
    if (watchdog?.interruptions !== interruptions) throw new EndlessStepError(time.steps);
  };
  const interrupted = new Promise<never>((_, reject) => {
    release = watchdog?.onInterrupt(() => reject(new EndlessStepError(time.steps))) ?? release;
  });
  try {
    const untilMs = scenario.startMs + scenario.stormMs + scenario.quietMs;
    await Promise.race([time.runUntil(untilMs, check), interrupted]);
  } catch (error) {
    const isStill = error instanceof StandstillError || error instanceof EndlessStepError;
    observers.violate(isStill ? "progress" : "simulation", isStill ? error.message : described(error));
  } finally {
    release();
  }
}

/** The step was interrupted. */
class EndlessStepError extends Error {
  constructor(step: number) {
    super(`the promise jobs of step ${String(step)} of the simulation did not end`);
    this.name = "EndlessStepError";
  }
}

interface Counts {
  readonly faults: Map<string, number>;
  requests: number;
}

function buildWorld(
  scenario: Scenario,
  parts: Parts,
  {
    time,
    observers,
    counts,
  }: { readonly time: VirtualTime; readonly observers: Observers; readonly counts: Counts },
): World {
  const { record } = observers;
  const random = createRandom(scenario.seed);
  const ground = { scenario, time, random };
  const cluster = parts.createCluster(ground);
  const prometheus = parts.createPrometheus({ ...ground, cluster });
  const network = createNetwork({
    time,
    random: random.stream("network"),
    onSent(process, request, fault) {
      counts.requests += 1;
      record({ kind: "sent", process: process.name, request, fault });
    },
    onReceived({ process, request, code, body }) {
      record({ kind: "received", process: process.name, request, code, body });
      const { path } = request;
      if (body !== undefined && isMetricsPath(path))
        record({ kind: "served", process: process.name, path, code, body });
    },
    onWatched: (process, request, text) => record({ kind: "watched", process: process.name, request, text }),
    onServerError: (error, { method, path }) =>
      observers.violate("simulation", `the server failed at ${method} ${path}: ${described(error)}`),
  });
  cluster.subscribe((write) => record({ kind: "written", ...write }));
  let processes: Processes | undefined;
  const world: World = {
    ...ground,
    cluster,
    prometheus,
    network,
    autoscalers: new Map(),
    configs: new Map(),
    coordinations: new Map(),
    meters: new Map(),
    get processes() {
      if (processes === undefined) throw new Error("there are no processes yet");
      return processes;
    },
    record,
  };
  processes = createProcesses({
    time,
    programs: parts.programs(world),
    onChange: (process, change) => record({ kind: "process", process, change }),
    onCrash: (process, error) => recordError(observers, process, error),
  });
  return world;
}

/** As a user creates it; what the API server refuses is not there. */
function apply({ cluster }: World, object: SetupObject): string {
  const name = `${object.kind} ${object.metadata.namespace ?? ""}/${object.metadata.name}`;
  try {
    cluster.apply("user", object);
    return `applied ${name}`;
  } catch (error) {
    return `refused ${name}: ${messageOf(error)}`;
  }
}

function isMetricsPath(path: string): boolean {
  return /^\/apis\/(custom\.|external\.)?metrics\.k8s\.io\//.test(path);
}

function startProcesses({ processes, random, time }: World): void {
  const spread = random.stream("start");
  for (const name of processes.names)
    time.after(spread.between(0, startSpreadMs), () => processes.start(name));
}

function plan(world: World, parts: Parts, event: PlannedEvent, counts: Map<string, number>): void {
  const { time, record } = world;
  const kind = parts.faults[event.kind];
  if (kind === undefined) throw new Error(`there is no fault "${event.kind}"`);
  time.after(event.atMs, () => {
    counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
    record({ kind: "fault", event, change: "begins" });
    const end = kind.begin(world, event);
    if (end === undefined) return;
    time.after(event.forMs, () => {
      end();
      record({ kind: "fault", event, change: "ends" });
    });
  });
}

/** Everything that reaches for the real runtime, and every error that is not handled, fails the run. */
function guardRun(observers: Observers): () => void {
  const unguard = guardRuntime((what) => observers.violate("guard", what));
  const events = ["unhandledRejection", "uncaughtException"] as const;
  const others = events.map((event) => process.listeners(event as "uncaughtException"));
  for (const event of events) {
    process.removeAllListeners(event);
    process.on(event, (error: unknown) => recordError(observers, "a process", error));
  }
  return () => {
    for (const [index, event] of events.entries()) {
      process.removeAllListeners(event);
      for (const other of others[index] ?? []) process.on(event, other);
    }
    unguard();
  };
}

function recordError(observers: Observers, process: string, error: unknown): void {
  const observation: Observation = {
    kind: "error",
    process,
    message: messageOf(error),
    isUnhandled: true,
  };
  observers.record(observation);
  observers.violate("unhandled-error", `${process} did not handle ${described(error)}`);
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
