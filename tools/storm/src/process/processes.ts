// The processes of a simulation: started, stopped and killed by name.
import { getOrAdd } from "@plimsoll/component-base";
import type { VirtualTime } from "../time/virtual-time.ts";
import { createProcess, type Machine, type SimulatedProcess } from "./simulated-process.ts";

/** The processes of the simulation, by name: "autoscaler-0" …, "adapter-0". */
export interface Processes {
  readonly names: readonly string[];
  /** The running one, be it paused; undefined while it is down. */
  get(name: string): SimulatedProcess | undefined;
  /** Does nothing while it runs, or is kept down. */
  start(name: string): void;
  /** Nothing starts it from now on. Returns what starts it again, unless something else keeps it down; only the first call counts. */
  keepDown(name: string): () => void;
  /** Ends it as SIGTERM does: it may finish what it does, for half a minute. */
  stop(name: string): void;
}

/** What runs in a process, once for each start. */
export type Program = (process: SimulatedProcess) => RunningProgram;

/** A program that was started. */
export interface RunningProgram {
  /** What the program does at SIGTERM; the process ends when it is done. */
  stop(): Promise<void>;
}

/** What happens to a process. */
export type ProcessChange = "started" | "stopping" | "stopped" | "paused" | "woken" | "killed";

/** What the processes are made from. */
export interface ProcessesOptions {
  readonly time: VirtualTime;
  readonly programs: ReadonlyMap<string, Program>;
  readonly onChange: (name: string, change: ProcessChange) => void;
  /** What a process throws outside of a promise, or what its stop rejects with. */
  readonly onCrash: (name: string, error: unknown) => void;
}

/** As Kubernetes waits before it kills. */
const graceMs = 30_000;

export function createProcesses(options: ProcessesOptions): Processes {
  const { time, programs, onChange, onCrash } = options;
  const machines = new Map<string, Machine>();
  const runs = new Map<string, number>();
  const running = new Map<string, { readonly process: SimulatedProcess; readonly program: RunningProgram }>();
  const stopping = new Set<SimulatedProcess>();
  const downs = createDowns();

  function start(name: string): void {
    const program = programs.get(name);
    if (program === undefined || running.has(name) || downs.has(name)) return;
    const run = (runs.get(name) ?? 0) + 1;
    runs.set(name, run);
    const process = createProcess({
      name,
      run,
      time,
      machine: getOrAdd(machines, name, () => ({ aheadMs: 0 })),
      onChange: (change) => changed(process, change),
      onCrash(error) {
        onCrash(name, error);
        process.kill();
      },
    });
    onChange(name, "started");
    running.set(name, { process, program: program(process) });
  }

  function changed(process: SimulatedProcess, change: ProcessChange): void {
    if (change === "killed") running.delete(process.name);
    onChange(process.name, change === "killed" && stopping.delete(process) ? "stopped" : change);
  }

  function stop(name: string): void {
    const found = running.get(name);
    if (found === undefined) return;
    const { process, program } = found;
    onChange(name, "stopping");
    time.after(graceMs, () => process.kill());
    // A signal reaches a paused process when it is woken.
    process.deliver(() => {
      void program
        .stop()
        .catch((error: unknown) => onCrash(name, error))
        .then(() => exit(process, time, stopping));
    });
  }

  const keepDown = (name: string) => downs.keep(name, () => start(name));
  return { names: [...programs.keys()], get: (name) => running.get(name)?.process, start, stop, keepDown };
}

/** In a step of its own, so that nothing of the process runs afterwards. */
function exit(process: SimulatedProcess, time: VirtualTime, stopping: Set<SimulatedProcess>): void {
  time.after(0, () => {
    if (process.state === "running") stopping.add(process);
    process.kill();
  });
}

/** What is kept down, by how many. */
function createDowns() {
  const keepers = new Map<string, Set<object>>();
  return {
    has: (name: string) => (keepers.get(name)?.size ?? 0) > 0,
    /** Returns what ends it; the first call goes on with `up`. */
    keep(name: string, up: () => void): () => void {
      const keeper = {};
      const of = getOrAdd(keepers, name, () => new Set<object>());
      of.add(keeper);
      return () => {
        if (of.delete(keeper)) up();
      };
    },
  };
}
