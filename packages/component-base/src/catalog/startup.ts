// PLM4000 to PLM4999: why a process does not start. The messages are the beginnings of the printed lines.
import type { CatalogEntry } from "./entry.ts";

/** For every line that no other entry begins. */
export const invalidSettings: CatalogEntry = {
  code: "PLM4001",
  message: "a flag, an argument or the rules file is not valid",
  meaning:
    "The line names the flag, or file, line and column of the rules. All problems are printed at once.",
  remedy:
    "correct it: flags of the [adapter](flags-metrics-adapter.md) and of the [autoscaler](flags-autoscaler.md); rules by `npm run -s plimsoll -- rules check FILE`",
};

export const startupEntries: readonly CatalogEntry[] = [
  invalidSettings,
  {
    code: "PLM4010",
    message: "the rules file cannot be read",
    meaning: "There is no readable file where `--config` points.",
    remedy: "mount the ConfigMap there",
  },
  {
    code: "PLM4011",
    message: "Prometheus's credentials cannot be read",
    meaning: "A file of the `--prometheus-…` flags is missing.",
    remedy: "mount the Secret",
  },
  {
    code: "PLM4014",
    message: "the file of sources cannot be read",
    meaning: "There is no readable file where `--sources-config` points.",
    remedy: "mount the ConfigMap there",
  },
  {
    code: "PLM4015",
    message: "a source cannot be used",
    meaning: "A file that a source of `--sources-config` names is missing or empty, or cannot be a header.",
    remedy: "mount the Secret",
  },
  {
    code: "PLM4012",
    message: "the file of backends cannot be read",
    meaning: "There is no readable file where `--federation-config` points.",
    remedy: "mount the ConfigMap there",
  },
  {
    code: "PLM4013",
    message: "a backend cannot be used",
    meaning:
      "A file that a backend of `--federation-config` names is missing, or has no certificate or token.",
    remedy: "mount the Secret or the ConfigMap",
  },
  {
    code: "PLM4020",
    message: "cannot connect to kube-apiserver",
    meaning: "The adapter has no usable connection to the API server.",
    remedy: "outside a pod, give a kubeconfig; inside, mount the service account's token",
  },
  {
    code: "PLM4021",
    message: "cannot connect: check --kubeconfig and --context",
    meaning: "The autoscaler has no usable connection to the API server.",
    remedy: "outside a pod, give a kubeconfig; inside, mount the service account's token",
  },
  {
    code: "PLM4030",
    message: "cannot serve",
    meaning: "The port is taken, or the certificate's files do not fit together.",
    remedy: "check `--bind-address`, `--port`, `--secure-port` and the `--tls` files",
  },
];
