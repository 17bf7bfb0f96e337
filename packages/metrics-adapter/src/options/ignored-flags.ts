// Flags that prometheus-adapter takes, now or until 0.11, and that have no effect here.
import { type Flag, type FlagKind, section } from "@plimsoll/component-base/flags";

export const ignoredFlags = section("Accepted for compatibility", {
  ...ignored("Plimsoll has no client-side rate limit", { "client-qps": "string", "client-burst": "int" }),
  ...ignored("Plimsoll finds new resource types without it", { "discovery-interval": "duration" }),
  ...ignored("HTTP/2 is not offered", { "http2-max-streams-per-connection": "int" }),
  ...ignored("SO_REUSEADDR is always set", { "permit-address-sharing": "bool" }),
  ...ignored("Plimsoll has no profiling endpoint", {
    profiling: "bool",
    "contention-profiling": "bool",
    "debug-socket-path": "string",
  }),
  ...ignored("Plimsoll has no priority and fairness", { "enable-priority-and-fairness": "bool" }),
  ...ignored("the log is JSON on standard output", {
    vmodule: "string",
    "log-flush-frequency": "duration",
    logtostderr: "bool",
    alsologtostderr: "bool",
    stderrthreshold: "string",
    "log-dir": "string",
    "log-file": "string",
    "log-file-max-size": "int",
    "log-backtrace-at": "string",
    "skip-headers": "bool",
    "skip-log-headers": "bool",
    "add-dir-header": "bool",
    "one-output": "bool",
  }),
  ...ignored("requests are logged with --v=6 instead", {
    "audit-log-batch-buffer-size": "int",
    "audit-log-batch-max-size": "int",
    "audit-log-batch-max-wait": "duration",
    "audit-log-batch-throttle-burst": "int",
    "audit-log-batch-throttle-enable": "bool",
    "audit-log-batch-throttle-qps": "string",
    "audit-log-compress": "bool",
    "audit-log-format": "string",
    "audit-log-maxage": "int",
    "audit-log-maxbackup": "int",
    "audit-log-maxsize": "int",
    "audit-log-mode": "string",
    "audit-log-path": "string",
    "audit-log-truncate-enabled": "bool",
    "audit-log-truncate-max-batch-size": "int",
    "audit-log-truncate-max-event-size": "int",
    "audit-log-version": "string",
    "audit-policy-file": "string",
    "audit-webhook-batch-buffer-size": "int",
    "audit-webhook-batch-max-size": "int",
    "audit-webhook-batch-max-wait": "duration",
    "audit-webhook-batch-throttle-burst": "int",
    "audit-webhook-batch-throttle-enable": "bool",
    "audit-webhook-batch-throttle-qps": "string",
    "audit-webhook-config-file": "string",
    "audit-webhook-initial-backoff": "duration",
    "audit-webhook-mode": "string",
    "audit-webhook-truncate-enabled": "bool",
    "audit-webhook-truncate-max-batch-size": "int",
    "audit-webhook-truncate-max-event-size": "int",
    "audit-webhook-version": "string",
  }),
});

function ignored<const Kinds extends Readonly<Record<string, FlagKind>>>(
  why: string,
  kinds: Kinds,
): Readonly<Record<keyof Kinds & string, Omit<Flag, "section">>> {
  const flagOf = (kind: FlagKind) => ({ kind, help: `no effect: ${why}`, effect: { ignored: why } });
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, flagOf(kind)])) as Record<
    keyof Kinds & string,
    Omit<Flag, "section">
  >;
}
