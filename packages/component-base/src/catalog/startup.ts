// PLM4000 to PLM4999: why a process does not start. The messages are the beginnings of the printed lines.
import type { CatalogEntry } from "./entry.ts";

/** For every line that no other entry begins. */
export const invalidSettings: CatalogEntry = {
  code: "PLM4001",
  message: "a flag, an argument, or the rules file is invalid",
  help: "The line names the flag, or the place in the rules. See the flags of the [adapter](flags-metrics-adapter.md) and the [autoscaler](flags-autoscaler.md); `plimsoll rules check FILE`.",
};

export const startupEntries: readonly CatalogEntry[] = [
  invalidSettings,
  {
    code: "PLM4010",
    message: "cannot read the rules file",
    help: "Mount the ConfigMap where `--config` points.",
  },
  {
    code: "PLM4011",
    message: "cannot read the credentials for Prometheus",
    help: "Mount the Secret of the `--prometheus-…` flags.",
  },
  {
    code: "PLM4014",
    message: "cannot read the sources file",
    help: "Mount the ConfigMap where `--sources-config` points.",
  },
  {
    code: "PLM4015",
    message: "cannot use a source",
    help: "A file that the source names is missing, empty, or invalid: mount the Secret.",
  },
  {
    code: "PLM4012",
    message: "cannot read the backends file",
    help: "Mount the ConfigMap where `--federation-config` points.",
  },
  {
    code: "PLM4013",
    message: "cannot use a backend",
    help: "A file that the backend names is missing or invalid: mount the Secret.",
  },
  {
    code: "PLM4020",
    message: "cannot connect to kube-apiserver",
    help: "In a pod, mount the service account's token. Elsewhere, set a kubeconfig.",
  },
  {
    code: "PLM4021",
    message: "cannot connect: check --kubeconfig and --context",
    help: "In a pod, mount the service account's token. Elsewhere, set a kubeconfig.",
  },
  {
    code: "PLM4030",
    message: "cannot serve",
    help: "The port is taken, or certificate and key don't match. Check `--bind-address`, the ports, and the `--tls` flags.",
  },
];
