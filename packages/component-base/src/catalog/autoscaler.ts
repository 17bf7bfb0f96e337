// PLM1000 to PLM1999: what the autoscaler logs, its calendars and its reads of metrics included.
import type { CatalogEntry } from "./entry.ts";

export const autoscalerEntries: readonly CatalogEntry[] = [
  {
    code: "PLM1001",
    message: "watch failed; retrying",
    help: "A resource can't be listed or watched; the last known objects are used. Grant the permission, or install [the CRDs](troubleshooting.md#missing-crds).",
  },
  {
    code: "PLM1002",
    message: "stopped before watches were established",
    help: "The process was stopped while it started.",
  },
  {
    code: "PLM1003",
    message: "discovery is not complete",
    help: "An APIService isn't [available](troubleshooting.md#metrics-api-unavailable). Others are used.",
  },
  {
    code: "PLM1004",
    message: "could not record an event",
    help: "Events were [lost](troubleshooting.md#events-lost). Decisions aren't affected.",
  },
  {
    code: "PLM1005",
    message: "stopped before all events were written",
    help: "`events` weren't written before the process ended. Replicas and statuses were.",
  },
  {
    code: "PLM1010",
    message: "coordination failed; retrying",
    help: "The lease can't be read or written, so nothing is evaluated: see [no leader](troubleshooting.md#no-leader).",
  },
  {
    code: "PLM1011",
    message: "a timer crashed; other timers are not affected",
    help: "A bug: please report it with the object.",
  },
  {
    code: "PLM1020",
    message: "evaluation failed",
    help: "A write failed and is retried. `error` names the missing permission or the refusal.",
  },
  {
    code: "PLM1021",
    message: "evaluation crashed; other objects are not affected",
    help: "A bug: see [decisions stale](troubleshooting.md#decisions-stale).",
  },
  {
    code: "PLM1022",
    message: "evaluation backs off after crashes; edit the object to retry at once",
    help: "A bug: see [decisions stale](troubleshooting.md#decisions-stale).",
  },
  {
    code: "PLM1023",
    message: "could not reread the scale",
    help: "The scale changed while it was written. The next sync decides again.",
  },
  {
    code: "PLM1024",
    message: "a write crashed; other writes are not affected",
    help: "A bug: please report it with the object.",
  },
  {
    code: "PLM1030",
    message: "cannot read a namespace's usage in one request; reading each object's pods separately",
    help: "Each workload is read separately for a while; `error` says why: see [metric unreadable](troubleshooting.md#metric-unreadable).",
  },
  {
    code: "PLM1042",
    message: "replicas overwritten by another client",
    help: "`manager` changed the replicas right after they were written: see [foreign writer](troubleshooting.md#foreign-writer).",
  },
  {
    code: "PLM1043",
    message: "returned to shadow: foreign writer",
    help: "`by` writes the object's status, so it is only watched: see [foreign writer](troubleshooting.md#foreign-writer).",
  },
  {
    code: "PLM1050",
    message: "could not change limits; retrying",
    help: "The limits of an HPA can't be written: `error` says why.",
  },
  {
    code: "PLM1045",
    message: "cannot write decision records; retrying in a minute",
    help: "The directory of `--record-inputs` isn't usable: `error` says why. Decisions aren't affected.",
  },
  {
    code: "PLM1051",
    message: "could not write the finalizer; retrying",
    help: "Grant `patch` of the WorkloadAutoscaler, or wait for the API server.",
  },
  {
    code: "PLM1052",
    message: "could not write the status; retrying",
    help: "Grant `patch` of the status, or wait for the API server.",
  },
  {
    code: "PLM1053",
    message: "changing limits crashed; other objects are not affected",
    help: "A bug: please report it with the object.",
  },
  {
    code: "PLM1060",
    message: "could not read the object before a scheduled run",
    help: "A scheduled run is delayed. Grant `get` of the object, or wait for the API server.",
  },
  {
    code: "PLM1061",
    message: "scheduled runs crashed; other objects are not affected",
    help: "A bug: please report it with the object.",
  },
];
