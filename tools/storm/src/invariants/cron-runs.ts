// Invariants of the jobs of CronHorizontalPodAutoscalers: each run once, and none too late.
import { autoscalerConfig } from "../autoscaler/flags.ts";
import type { CreateInvariant, Observed } from "../run/world.ts";
import { cronHpaResource, isAutoscaler } from "./names.ts";

interface Run {
  /** Namespace and name. */
  readonly object: string;
  readonly what: string;
  readonly dueMs: number;
  /** The day is one of excludeDates: nothing is scaled. */
  readonly isExcluded: boolean;
}

/** A run that was made, by the log. */
function runOf({ message, fields }: Observed<"logged">): Run | undefined {
  const { cronHpa, job, due, state } = fields;
  if (message !== "scheduled run" || state !== "Succeed" || typeof due !== "string") return undefined;
  // A job of another size is another one: etcd may have been restored to a former specification.
  const result = String(fields["message"]);
  const size = /desired replicas:\d+/.exec(result)?.[0] ?? "";
  const object = String(cronHpa);
  const isExcluded = result.includes("skip scaling activity");
  return { object, what: `${object} ${String(job)} ${size}`, dueMs: Date.parse(due), isExcluded };
}

/** A process makes each run of a job once. What it knows ends with the process, and with its ownership. */
export const cronOnce: CreateInvariant = ({ cluster: { store } }) => {
  /** A restored etcd may have a former object of the name, whose runs are its own. */
  const uidOf = (object: string): string => {
    const [namespace, name = ""] = object.split("/");
    return store.get(cronHpaResource, namespace, name)?.metadata.uid ?? "";
  };
  const made = new Map<string, Set<string>>();
  return {
    name: "cron-once",
    observe(observation) {
      // A clock that is set back for long makes runs due once more.
      if (observation.kind === "fault" && observation.event.kind.includes("clock")) made.clear();
      if (observation.kind === "process") made.delete(observation.process);
      if (observation.kind === "written" && observation.event.resource === cronHpaResource) {
        // The jobs of one that is edited or re-created begin at their start.
        if (observation.event.type !== "MODIFIED" || !isAutoscaler(observation.writer)) made.clear();
      }
      if (observation.kind !== "logged") return undefined;
      const { process, message } = observation;
      if (message === "objects lost") made.delete(process);
      const run = runOf(observation);
      if (run === undefined) return undefined;
      const text = `${run.what} ${new Date(run.dueMs).toISOString()}`;
      const own = made.get(process) ?? new Set();
      made.set(process, own);
      const known = `${uidOf(run.object)} ${text}`;
      if (own.has(known)) return `${process} made a run twice: ${text}`;
      own.add(known);
      return true;
    },
  };
};

/** Of --cron-hpa-missed-runs, with the time that a run with its retries may take. */
const slackMs = 180_000;

/**
 * No run is made that was due longer ago than missed runs are caught up, by the clock of its process. Of one whose clock was set
 * while a run may have waited for its turn, nothing is said.
 */
export const cronNotTooLate: CreateInvariant = ({ processes, scenario, time }) => {
  const { missedRunsMs = 0 } = autoscalerConfig(scenario.setup).cronHpa ?? {};
  const clocks = new Map<string, { readonly aheadMs: number; readonly setAtMs: number }>();
  /** By process, when it was seen that its clock had been set. */
  const follow = (process: string, nowMs: number): number => {
    const known = clocks.get(process);
    const aheadMs = nowMs - time.nowMs;
    if (known?.aheadMs === aheadMs) return known.setAtMs;
    const setAtMs = known === undefined ? Number.NEGATIVE_INFINITY : time.nowMs;
    clocks.set(process, { aheadMs, setAtMs });
    return setAtMs;
  };
  return {
    name: "cron-not-too-late",
    observe(observation) {
      if (!("process" in observation) || observation.process === undefined) return undefined;
      const nowMs = processes.get(observation.process)?.clock.nowMs();
      if (nowMs === undefined) return undefined;
      const setAtMs = follow(observation.process, nowMs);
      const run = observation.kind === "logged" ? runOf(observation) : undefined;
      if (run === undefined || run.isExcluded || time.nowMs - setAtMs <= slackMs) return undefined;
      if (nowMs - run.dueMs <= missedRunsMs + slackMs) return true;
      const minutes = Math.round((nowMs - run.dueMs) / 60_000);
      return `${observation.process} made a run that was due ${minutes} minutes ago: ${run.what}`;
    },
  };
};
