// PLM1000 to PLM1999: what the autoscaler logs, its calendars and its reads of metrics included.
import type { CatalogEntry } from "./entry.ts";

const report = "this is a bug: please report it, with the object";

export const autoscalerEntries: readonly CatalogEntry[] = [
  {
    code: "PLM1001",
    message: "watch failed; retrying",
    meaning: "A resource cannot be listed or watched; the objects read before are still used.",
    remedy:
      "by `resource`: grant the missing permission, or wait for the API server; for `workloadautoscalers`, install [the CRDs](troubleshooting.md#missing-crds)",
  },
  {
    code: "PLM1002",
    message: "watches ended before they began",
    meaning: "The process was stopped while it started.",
    remedy: "nothing to do",
  },
  {
    code: "PLM1003",
    message: "discovery is not complete",
    meaning: "An APIService does not respond to discovery; the other APIs are used.",
    remedy: "see why it is [not available](troubleshooting.md#metrics-api-unavailable)",
  },
  {
    code: "PLM1004",
    message: "could not record an event",
    meaning:
      "Events were lost: `error` says how many, or why one could not be written. Decisions are not affected; `plimsoll_events_lost_total` counts them.",
    remedy: "see [events lost](troubleshooting.md#events-lost)",
  },
  {
    code: "PLM1005",
    message: "stopped before all events were written",
    meaning:
      "The process ended while more events were to be written than it waits for; `events` is their number.",
    remedy: "nothing to do: replicas and statuses were written before",
  },
  {
    code: "PLM1010",
    message: "coordination failed; retrying",
    meaning: "The lease cannot be read or written; without it the process evaluates nothing.",
    remedy: "see [no leader](troubleshooting.md#no-leader)",
  },
  {
    code: "PLM1011",
    message: "a timer crashed; other timers are not affected",
    meaning: "An exception in a timer; it is counted in `plimsoll_crashed_timers_total`.",
    remedy: report,
  },
  {
    code: "PLM1020",
    message: "evaluation has a problem",
    meaning: "A write of an evaluation failed; it is retried at the next sync.",
    remedy: "`error` names the write: grant the missing permission, or see what refused it",
  },
  {
    code: "PLM1021",
    message: "evaluation crashed; other objects are not affected",
    meaning: "An exception in the evaluation of one object.",
    remedy: "see [decisions stale](troubleshooting.md#decisions-stale), and report it with the object",
  },
  {
    code: "PLM1022",
    message: "evaluation backs off after crashes; an edit retries it at once",
    meaning:
      "The evaluation of one object crashed several times in a row and is retried with growing delays.",
    remedy:
      "see [decisions stale](troubleshooting.md#decisions-stale); an edit of the object retries it at once",
  },
  {
    code: "PLM1023",
    message: "could not read the scale again",
    meaning: "The scale changed while it was written, and the newer one could not be read.",
    remedy: "nothing to do: the next sync decides again",
  },
  {
    code: "PLM1024",
    message: "a write crashed; other writes are not affected",
    meaning: "An exception in a write to the API server.",
    remedy: report,
  },
  {
    code: "PLM1030",
    message: "the usage of a namespace cannot be read in one request; each object requests its own pods",
    meaning:
      "The request for all pods of a namespace failed; each selector has a request of its own for a while.",
    remedy: "`error` says why: a timeout, or a response that is too large; the shared request is retried",
  },
  {
    code: "PLM1042",
    message: "replicas overwritten by another client",
    meaning: "Another client changed the replicas of a managed target right after they were written.",
    remedy: "`manager` names the client: see [foreign writer](troubleshooting.md#foreign-writer)",
  },
  {
    code: "PLM1043",
    message: "returned to shadow: foreign writer",
    meaning: "The object was returned to shadow, because another client writes its target or its status.",
    remedy: "see [foreign writer](troubleshooting.md#foreign-writer)",
  },
  {
    code: "PLM1050",
    message: "could not move bounds; retrying",
    meaning: "The bounds of a HorizontalPodAutoscaler could not be written.",
    remedy: "`error` says why, as do the WorkloadAutoscaler's conditions and events",
  },
  {
    code: "PLM1045",
    message: "records of decisions cannot be written; retrying in a minute",
    meaning:
      "The directory of `--record-inputs` cannot be used; decisions are not affected, their records are lost and counted in `plimsoll_decision_records_lost_total`.",
    remedy: "`error` names the reason: make space, or let the process write there",
  },
  {
    code: "PLM1051",
    message: "could not write the finalizer; retrying",
    meaning: "A WorkloadAutoscaler that moves bounds has no finalizer yet; its bounds are not moved.",
    remedy: "grant the permission to patch it, or wait for the API server",
  },
  {
    code: "PLM1052",
    message: "could not write the status; retrying",
    meaning: "The status of a WorkloadAutoscaler or CronHorizontalPodAutoscaler could not be written.",
    remedy: "grant the permission to patch its status, or wait for the API server",
  },
  {
    code: "PLM1053",
    message: "moving bounds crashed; other objects are not affected",
    meaning: "An exception while the bounds of one object were moved.",
    remedy: report,
  },
  {
    code: "PLM1060",
    message: "could not read the object before its run",
    meaning: "A scheduled run is delayed, because its object could not be read.",
    remedy: "grant the permission to get it, or wait for the API server",
  },
  {
    code: "PLM1061",
    message: "scheduled runs crashed; other objects are not affected",
    meaning: "An exception in the jobs of one CronHorizontalPodAutoscaler.",
    remedy: report,
  },
];
