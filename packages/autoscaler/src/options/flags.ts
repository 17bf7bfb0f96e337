import { budgetFlags } from "./budget-flags.ts";

/** One command-line flag; this table is the only place that names it. */
export interface Flag {
  readonly name: string;
  /** What the value looks like, for --help. */
  readonly value: string;
  readonly default?: string;
  readonly repeatable?: true;
  /** May be written without a value, which means "true". */
  readonly boolean?: true;
  readonly help: string;
  /** "upstream": kube-controller-manager has it under this name. */
  readonly origin: "upstream" | "ours";
  /** Accepted so that an old command line keeps working; the text says what to do instead. */
  readonly retired?: string;
  /** An older spelling of another flag. */
  readonly meaning?: string;
}

const flags = [
  {
    name: "kubeconfig",
    value: "path",
    help: "kubeconfig file; without it KUBECONFIG, ~/.kube/config, then the pod's own service account",
    origin: "upstream",
  },
  { name: "context", value: "name", help: "context of the kubeconfig to use", origin: "ours" },
  {
    name: "namespace",
    value: "name",
    repeatable: true,
    help: "watch this namespace only; may be given several times (all when absent)",
    origin: "ours",
  },
  {
    name: "manage-hpas",
    value: "none|annotated|all",
    default: "none",
    help: 'which HorizontalPodAutoscalers to drive; the others are decided in shadow and nothing is written. "annotated": those with the annotation autoscaling.plimsoll.dev/managed: "true"',
    origin: "ours",
  },
  {
    name: "horizontal-pod-autoscaler-sync-period",
    value: "duration",
    default: "15s",
    help: "time between two evaluations of an object",
    origin: "upstream",
  },
  {
    name: "horizontal-pod-autoscaler-downscale-stabilization",
    value: "duration",
    default: "5m",
    help: "a scale-down follows the highest recommendation of this window",
    origin: "upstream",
  },
  {
    name: "horizontal-pod-autoscaler-tolerance",
    value: "fraction",
    default: "0.1",
    help: "deviation from the target that is let pass, in both directions",
    origin: "upstream",
  },
  {
    name: "horizontal-pod-autoscaler-cpu-initialization-period",
    value: "duration",
    default: "5m",
    help: "time after a pod's start in which its cpu samples may be skipped",
    origin: "upstream",
  },
  {
    name: "horizontal-pod-autoscaler-initial-readiness-delay",
    value: "duration",
    default: "30s",
    help: "time after a pod's start in which a change to not ready counts as never having been ready",
    origin: "upstream",
  },
  {
    name: "concurrent-horizontal-pod-autoscaler-syncs",
    value: "number",
    default: "5",
    help: "evaluations at the same time; one that waits for a slow API does not count after half a second",
    origin: "upstream",
  },
  {
    name: "horizontal-pod-autoscaler-downscale-stabilization-window",
    value: "duration",
    help: "the name of --horizontal-pod-autoscaler-downscale-stabilization in Kubernetes 1.12",
    origin: "upstream",
    meaning: "horizontal-pod-autoscaler-downscale-stabilization",
    retired: "use --horizontal-pod-autoscaler-downscale-stabilization",
  },
  {
    name: "horizontal-pod-autoscaler-upscale-delay",
    value: "duration",
    help: "no effect since Kubernetes 1.12",
    origin: "upstream",
    retired:
      "it has no effect, as in kube-controller-manager since 1.12; remove it, or set spec.behavior.scaleUp on the object",
  },
  {
    name: "horizontal-pod-autoscaler-downscale-delay",
    value: "duration",
    help: "no effect since Kubernetes 1.12",
    origin: "upstream",
    retired:
      "it has no effect, as in kube-controller-manager since 1.12; use --horizontal-pod-autoscaler-downscale-stabilization",
  },
  {
    name: "horizontal-pod-autoscaler-use-rest-clients",
    value: "true|false",
    help: "no effect: metrics are always read over the metrics APIs",
    origin: "upstream",
    retired: "it has no effect, metrics are always read over the metrics APIs; remove it",
  },
  {
    name: "leader-elect",
    value: "true|false",
    default: "true",
    boolean: true,
    help: "evaluate only while this process holds the lease; false is for a single process",
    origin: "upstream",
  },
  {
    name: "leader-elect-lease-duration",
    value: "duration",
    default: "15s",
    help: "others wait so long for a leader that is not heard of",
    origin: "upstream",
  },
  {
    name: "leader-elect-renew-deadline",
    value: "duration",
    default: "10s",
    help: "a leader that could not renew for so long stops writing; less than the lease duration",
    origin: "upstream",
  },
  {
    name: "leader-elect-retry-period",
    value: "duration",
    default: "2s",
    help: "time between two tries to take or renew the lease",
    origin: "upstream",
  },
  {
    name: "leader-elect-resource-name",
    value: "name",
    default: "plimsoll-autoscaler",
    help: "name of the lease; with --shards, the beginning of the names of all of them",
    origin: "upstream",
  },
  {
    name: "leader-elect-resource-namespace",
    value: "name",
    help: "namespace of the lease; the pod's own when absent, and kube-system outside a pod",
    origin: "upstream",
  },
  {
    name: "shards",
    value: "number",
    default: "1",
    help: "above 1: divide the objects into so many slots, which the running processes share by leases, instead of electing one leader",
    origin: "ours",
  },
  {
    name: "watch-scale-targets",
    value: "true|false",
    default: "true",
    boolean: true,
    help: "keep Deployments, StatefulSets, ReplicaSets and ReplicationControllers that are targets by a watch, instead of reading the scale every time",
    origin: "ours",
  },
  {
    name: "cron-hpa",
    value: "true|false",
    default: "false",
    boolean: true,
    help: "run the jobs of CronHorizontalPodAutoscalers (autoscaling.alibabacloud.com/v1beta1); only where kubernetes-cronhpa-controller does not run any more",
    origin: "ours",
  },
  {
    name: "cron-hpa-time-zone",
    value: "zone",
    help: "IANA time zone of their schedules; that of the process (TZ) when absent. An object has its own in the annotation autoscaling.plimsoll.dev/time-zone",
    origin: "ours",
  },
  {
    name: "cron-hpa-bounds",
    value: "Move|Keep|Within",
    default: "Move",
    help: "what their jobs do to minReplicas and maxReplicas of an HPA: move them out of the way, keep them, or keep them and scale only within them. An object has its own in the annotation autoscaling.plimsoll.dev/cron-hpa-bounds",
    origin: "ours",
  },
  {
    name: "cron-hpa-missed-runs",
    value: "duration",
    default: "1h",
    help: "how long a job of theirs that was missed, because no process ran, is caught up",
    origin: "ours",
  },
  {
    name: "calendar-directory",
    value: "directory",
    help: "iCalendar files (NAME.ics) that schedules may exclude by calendarName; a file that changes is read again",
    origin: "ours",
  },
  {
    name: "request-timeout",
    value: "duration",
    default: "10s",
    help: "longest wait for one answer of the API server or of a metrics API behind it",
    origin: "ours",
  },
  ...budgetFlags,
  {
    name: "decision-history",
    value: "number",
    default: "20",
    help: "decisions kept per object and served at /apis/decisions/v1",
    origin: "ours",
  },
  {
    name: "object-metrics",
    value: "true|false",
    default: "true",
    boolean: true,
    help: "serve series for each object at /metrics: about 2 kB an object, which the dashboards and most alerts read",
    origin: "ours",
  },
  {
    name: "bind-address",
    value: "ip",
    default: "127.0.0.1",
    help: "address of both ports",
    origin: "upstream",
  },
  {
    name: "port",
    value: "number",
    default: "8085",
    help: "plain HTTP: /healthz, /livez, /readyz and /metrics, for everybody; 0 picks a free one",
    origin: "ours",
  },
  {
    name: "secure-port",
    value: "number",
    help: "HTTPS: the same and /apis/decisions/v1 and /apis/shadow/v1, for callers with a bearer token who may get or list the objects; 0 picks a free one; not served when absent",
    origin: "upstream",
  },
  {
    name: "tls-cert-file",
    value: "path",
    help: "certificate of --secure-port, read again when it changes; one is made at each start when absent",
    origin: "upstream",
  },
  {
    name: "tls-private-key-file",
    value: "path",
    help: "the key of --tls-cert-file",
    origin: "upstream",
  },
  {
    name: "self-signed-cert-hosts",
    value: "names",
    help: "names and addresses, separated by commas, that a certificate made at the start is good for, beside localhost and the host's name",
    origin: "ours",
  },
  {
    name: "authorization-always-allow-paths",
    value: "paths",
    default: "/healthz,/livez,/readyz",
    help: "paths of --secure-port that need no token, separated by commas; everything below where one ends in *",
    origin: "upstream",
  },
  {
    name: "insecure-decisions",
    value: "true|false",
    default: "false",
    boolean: true,
    help: "serve /apis/decisions/v1 and /apis/shadow/v1 on --port too, to whoever can reach it; only on a loopback address",
    origin: "ours",
  },
  {
    name: "log-level",
    value: "trace|debug|info|warn|error|fatal|silent",
    default: "info",
    help: "least severe log line to write",
    origin: "ours",
  },
] as const satisfies readonly Flag[];

export type FlagName = (typeof flags)[number]["name"];

export const flagTable: readonly Flag[] = flags;
