// The flags of the autoscaler. Names and defaults are kube-controller-manager's where it has the flag.
import { type FlagReader, section } from "@plimsoll/component-base/flags";
import { logLevels } from "@plimsoll/component-base/logger";
import { defaultOptions, semanticsProfiles } from "@plimsoll/core";
import { cronHpaBoundsPolicies } from "@plimsoll/core/cronhpa";
import { servingFlags } from "./serving-flags.ts";

const alsoOf = "kube-controller-manager";

export const flags = {
  ...section("Cluster and objects", {
    kubeconfig: {
      kind: "string",
      value: "path",
      help: "kubeconfig file; by default KUBECONFIG, ~/.kube/config, then the pod's service account",
      alsoOf,
    },
    context: { kind: "string", value: "name", help: "context of the kubeconfig to use" },
    namespace: {
      kind: "strings",
      value: "name",
      help: "watch only this namespace; repeatable (default: all)",
    },
    "manage-hpas": {
      kind: "string",
      choices: ["none", "annotated", "all"],
      default: "none",
      help: 'which HorizontalPodAutoscalers to manage; the others are evaluated in shadow. "annotated": those with the annotation autoscaling.plimsoll.dev/managed: "true"',
    },
    "watch-scale-targets": {
      kind: "bool",
      default: "true",
      help: "watch Deployments, StatefulSets, ReplicaSets and ReplicationControllers instead of reading each scale",
    },
    "request-timeout": {
      kind: "duration",
      default: "10s",
      help: "timeout of a request to the API server or a metrics API",
    },
  }),
  ...section("Decisions", {
    "horizontal-pod-autoscaler-sync-period": {
      kind: "duration",
      default: "15s",
      help: "time between two evaluations of an autoscaler",
      alsoOf,
    },
    "min-sync-period": {
      kind: "duration",
      default: "1s",
      help: "shortest sync period of a WorkloadAutoscaler; a shorter one, from syncPeriodSeconds or a live interval, becomes this",
    },
    "horizontal-pod-autoscaler-downscale-stabilization": {
      kind: "duration",
      default: "5m",
      help: "scaling down uses the highest recommendation within this window",
      alsoOf,
    },
    "horizontal-pod-autoscaler-upscale-delay": {
      kind: "duration",
      default: "0s",
      help: "minimum time after a scale before metrics may scale up again (pre-1.12 behavior; upstream's default was 3m); 0s disables",
      alsoOf,
    },
    "horizontal-pod-autoscaler-downscale-delay": {
      kind: "duration",
      default: "0s",
      help: "minimum time after a scale before metrics may scale down (upstream's default was 5m); 0s disables",
      alsoOf,
    },
    "horizontal-pod-autoscaler-tolerance": {
      kind: "number",
      value: "fraction",
      default: "0.1",
      help: "how far a metric may deviate from its target without scaling",
      alsoOf,
    },
    "horizontal-pod-autoscaler-cpu-initialization-period": {
      kind: "duration",
      default: "5m",
      help: "time after a pod's start in which its cpu samples can be skipped",
      alsoOf,
    },
    "horizontal-pod-autoscaler-initial-readiness-delay": {
      kind: "duration",
      default: "30s",
      help: "time after a pod's start in which a pod that becomes not ready counts as never ready",
      alsoOf,
    },
    semantics: {
      kind: "string",
      choices: semanticsProfiles.toReversed(),
      default: defaultOptions.semantics,
      help: "decide like kube-controller-manager of this release",
    },
    "scale-to-zero": {
      kind: "bool",
      default: "true",
      help: "let metrics scale to zero and back (feature gate HPAScaleToZero); if false, a target at zero stays there",
    },
    "concurrent-horizontal-pod-autoscaler-syncs": {
      kind: "int",
      default: "5",
      help: "concurrent evaluations; evaluations waiting longer than 0.5 s don't count",
      alsoOf,
    },
  }),
  ...section("Schedules", {
    "calendar-directory": {
      kind: "string",
      value: "directory",
      help: "folder of iCalendar files (NAME.ics) for calendarName in schedules; changed files are reloaded",
    },
    "cron-hpa": {
      kind: "bool",
      default: "false",
      help: "run the jobs of CronHorizontalPodAutoscalers; stop kubernetes-cronhpa-controller first",
    },
    "cron-hpa-time-zone": {
      kind: "string",
      value: "zone",
      help: "IANA time zone of jobs (default: TZ); the annotation autoscaling.plimsoll.dev/time-zone overrides it",
    },
    "cron-hpa-bounds": {
      kind: "string",
      choices: cronHpaBoundsPolicies,
      default: "Move",
      help: "what jobs do with an HPA's limits: move them, keep them, or scale only within them; the annotation autoscaling.plimsoll.dev/cron-hpa-bounds overrides it",
    },
    "cron-hpa-missed-runs": {
      kind: "duration",
      default: "1h",
      help: "run a missed job if it is at most this late",
    },
  }),
  ...section("Leader election", {
    "leader-elect": {
      kind: "bool",
      default: "true",
      help: "evaluate only while this process holds the lease; set false for a single process",
      alsoOf,
    },
    "leader-elect-lease-duration": {
      kind: "duration",
      default: "3s",
      help: "how long other processes wait for a leader that doesn't renew its lease",
      alsoOf,
    },
    "leader-elect-renew-deadline": {
      kind: "duration",
      default: "2.5s",
      help: "a leader that can't renew its lease stops writing after this time; must be less than the lease duration",
      alsoOf,
    },
    "leader-elect-retry-period": {
      kind: "duration",
      default: "500ms",
      help: "time between two attempts to get or renew the lease",
      alsoOf,
    },
    "leader-elect-resource-name": {
      kind: "string",
      value: "name",
      default: "plimsoll-autoscaler",
      help: "name of the lease; with --shards, the prefix of all names",
      alsoOf,
    },
    "leader-elect-resource-namespace": {
      kind: "string",
      value: "name",
      help: "namespace of the lease (default: the pod's, or kube-system outside a pod)",
      alsoOf,
    },
    shards: {
      kind: "int",
      default: "1",
      help: "if above 1, divide the autoscalers into this many shards among all processes instead of electing a leader",
    },
  }),
  ...section("Limits", {
    "concurrent-scale-reads": {
      kind: "int",
      default: "50",
      help: "concurrent reads of scale targets; reads longer than 0.5 s don't count",
    },
    "concurrent-metrics-reads": {
      kind: "int",
      default: "50",
      help: "concurrent reads of each metrics API; reads longer than 0.5 s don't count",
    },
    "concurrent-writes": {
      kind: "int",
      default: "50",
      help: "concurrent writes to the API server; half are reserved for replicas",
    },
    "kube-api-write-qps": {
      kind: "int",
      default: "1000",
      help: "writes to the API server per second, also the burst size; replicas first, then events and new statuses, then changed numbers",
    },
    "kube-api-status-refresh-qps": {
      kind: "int",
      default: "20",
      help: "part of --kube-api-write-qps for statuses in which only numbers changed; with 100000 each is written at once, as kube-controller-manager does",
    },
  }),
  ...servingFlags,
  ...section("Logging", {
    "log-level": {
      kind: "string",
      choices: logLevels,
      default: "info",
      help: "lowest severity to log",
    },
  }),
  ...section("Accepted for compatibility", {
    "horizontal-pod-autoscaler-downscale-stabilization-window": {
      kind: "duration",
      help: "former name of --horizontal-pod-autoscaler-downscale-stabilization",
      alsoOf,
      effect: { retired: "use --horizontal-pod-autoscaler-downscale-stabilization" },
    },
    "horizontal-pod-autoscaler-use-rest-clients": {
      kind: "bool",
      help: "no effect: metrics come from the metrics APIs",
      alsoOf,
      effect: { retired: "no effect: metrics always come from the metrics APIs; remove it" },
    },
  }),
} as const;

export type FlagName = keyof typeof flags;
export type Flags = FlagReader<typeof flags>;
