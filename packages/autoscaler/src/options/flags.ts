// The flags of the autoscaler. Names and defaults are kube-controller-manager's where it has the flag.
import { type FlagReader, section } from "@plimsoll/component-base/flags";
import { logLevels } from "@plimsoll/component-base/logger";
import { cronHpaBoundsPolicies } from "@plimsoll/core/cronhpa";
import { servingFlags } from "./serving-flags.ts";

const alsoOf = "kube-controller-manager";

export const flags = {
  ...section("Cluster and objects", {
    kubeconfig: {
      kind: "string",
      value: "path",
      help: "kubeconfig file; without it KUBECONFIG, ~/.kube/config, then the pod's own service account",
      alsoOf,
    },
    context: { kind: "string", value: "name", help: "context of the kubeconfig to use" },
    namespace: {
      kind: "strings",
      value: "name",
      help: "watch this namespace only; may be given several times (all when absent)",
    },
    "manage-hpas": {
      kind: "string",
      choices: ["none", "annotated", "all"],
      default: "none",
      help: 'which HorizontalPodAutoscalers to manage; the others are evaluated in shadow and nothing is written. "annotated": those with the annotation autoscaling.plimsoll.dev/managed: "true"',
    },
    "watch-scale-targets": {
      kind: "bool",
      default: "true",
      help: "keep Deployments, StatefulSets, ReplicaSets and ReplicationControllers that are targets by a watch, instead of reading the scale every time",
    },
    "request-timeout": {
      kind: "duration",
      default: "10s",
      help: "timeout of one request to the API server or to a metrics API behind it",
    },
  }),
  ...section("Decisions", {
    "horizontal-pod-autoscaler-sync-period": {
      kind: "duration",
      default: "15s",
      help: "time between two evaluations of an object",
      alsoOf,
    },
    "horizontal-pod-autoscaler-downscale-stabilization": {
      kind: "duration",
      default: "5m",
      help: "a scale-down follows the highest recommendation of this window",
      alsoOf,
    },
    "horizontal-pod-autoscaler-upscale-delay": {
      kind: "duration",
      default: "0s",
      help: "no scale-up by metrics for so long after the last scale, as in Kubernetes before 1.12, whose default of 3m is not taken over; 0s is off",
      alsoOf,
    },
    "horizontal-pod-autoscaler-downscale-delay": {
      kind: "duration",
      default: "0s",
      help: "no scale-down by metrics for so long after the last scale, as in Kubernetes before 1.12, whose default of 5m is not taken over; 0s is off",
      alsoOf,
    },
    "horizontal-pod-autoscaler-tolerance": {
      kind: "number",
      value: "fraction",
      default: "0.1",
      help: "deviation from the target that does not scale, in both directions",
      alsoOf,
    },
    "horizontal-pod-autoscaler-cpu-initialization-period": {
      kind: "duration",
      default: "5m",
      help: "time after a pod's start in which its cpu samples may be skipped",
      alsoOf,
    },
    "horizontal-pod-autoscaler-initial-readiness-delay": {
      kind: "duration",
      default: "30s",
      help: "time after a pod's start in which a change to not ready counts as never having been ready",
      alsoOf,
    },
    semantics: {
      kind: "string",
      choices: ["1.37", "1.35", "1.32"],
      default: "1.37",
      help: "decide as kube-controller-manager of this release",
    },
    "scale-to-zero": {
      kind: "bool",
      default: "true",
      help: "the feature gate HPAScaleToZero: metrics scale an object up again from zero. With false the target stays at zero replicas until it is scaled up by hand, and a WorkloadAutoscaler with metrics must not have minReplicas 0",
    },
    "concurrent-horizontal-pod-autoscaler-syncs": {
      kind: "int",
      default: "5",
      help: "evaluations at the same time; one that waits for a slow API does not count after half a second",
      alsoOf,
    },
  }),
  ...section("Schedules", {
    "calendar-directory": {
      kind: "string",
      value: "directory",
      help: "iCalendar files (NAME.ics) that schedules may exclude by calendarName; a file that changes is read again",
    },
    "cron-hpa": {
      kind: "bool",
      default: "false",
      help: "run the jobs of CronHorizontalPodAutoscalers (autoscaling.alibabacloud.com/v1beta1); only where kubernetes-cronhpa-controller does not run any more",
    },
    "cron-hpa-time-zone": {
      kind: "string",
      value: "zone",
      help: "IANA time zone of their schedules; that of the process (TZ) when absent. An object has its own in the annotation autoscaling.plimsoll.dev/time-zone",
    },
    "cron-hpa-bounds": {
      kind: "string",
      choices: cronHpaBoundsPolicies,
      default: "Move",
      help: "what their jobs do to minReplicas and maxReplicas of an HPA: move them out of the way, keep them, or keep them and scale only within them. An object has its own in the annotation autoscaling.plimsoll.dev/cron-hpa-bounds",
    },
    "cron-hpa-missed-runs": {
      kind: "duration",
      default: "1h",
      help: "max age of a missed run of theirs that is still executed",
    },
  }),
  ...section("Leader election", {
    "leader-elect": {
      kind: "bool",
      default: "true",
      help: "evaluate only while this process holds the lease; false is for a single process",
      alsoOf,
    },
    "leader-elect-lease-duration": {
      kind: "duration",
      default: "15s",
      help: "how long others wait for a leader that does not renew",
      alsoOf,
    },
    "leader-elect-renew-deadline": {
      kind: "duration",
      default: "10s",
      help: "a leader that could not renew for so long stops writing; less than the lease duration",
      alsoOf,
    },
    "leader-elect-retry-period": {
      kind: "duration",
      default: "2s",
      help: "time between two attempts to acquire or renew the lease",
      alsoOf,
    },
    "leader-elect-resource-name": {
      kind: "string",
      value: "name",
      default: "plimsoll-autoscaler",
      help: "name of the lease; with --shards, the beginning of the names of all of them",
      alsoOf,
    },
    "leader-elect-resource-namespace": {
      kind: "string",
      value: "name",
      help: "namespace of the lease; the pod's own when absent, and kube-system outside a pod",
      alsoOf,
    },
    shards: {
      kind: "int",
      default: "1",
      help: "above 1: divide the objects into this many shards, which the running processes share by leases, instead of electing one leader",
    },
  }),
  ...section("Limits", {
    "concurrent-scale-reads": {
      kind: "int",
      default: "50",
      help: "reads of targets at the same time; one that takes longer than half a second does not count",
    },
    "concurrent-metrics-reads": { kind: "int", default: "50", help: "the same for each of the metrics APIs" },
    "concurrent-writes": {
      kind: "int",
      default: "50",
      help: "writes to the API server at the same time; half of them are reserved for replicas",
    },
    "kube-api-write-qps": {
      kind: "int",
      default: "1000",
      help: "writes to the API server a second, at most as many at once; replicas go first, then events and statuses that say something new, then statuses in which only numbers changed",
    },
    "kube-api-status-refresh-qps": {
      kind: "int",
      default: "20",
      help: "of these, statuses a second in which only numbers changed; the newest is written when the rate limit allows it. With 100000 none waits, as with kube-controller-manager",
    },
  }),
  ...servingFlags,
  ...section("Logging", {
    "log-level": {
      kind: "string",
      choices: logLevels,
      default: "info",
      help: "lowest severity that is logged",
    },
  }),
  ...section("Accepted for compatibility", {
    "horizontal-pod-autoscaler-downscale-stabilization-window": {
      kind: "duration",
      help: "the name of --horizontal-pod-autoscaler-downscale-stabilization in Kubernetes 1.12",
      alsoOf,
      effect: { retired: "use --horizontal-pod-autoscaler-downscale-stabilization" },
    },
    "horizontal-pod-autoscaler-use-rest-clients": {
      kind: "bool",
      help: "no effect: metrics are always read over the metrics APIs",
      alsoOf,
      effect: { retired: "it has no effect, metrics are always read over the metrics APIs; remove it" },
    },
  }),
} as const;

export type FlagName = keyof typeof flags;
export type Flags = FlagReader<typeof flags>;
