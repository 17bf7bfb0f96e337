// Starts the two processes as an installation runs them, with less memory.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ADAPTER_SERVER_NAME,
  type PlimsollProcess,
  type PlimsollProgram,
  plimsollCommand,
  startPlimsoll,
} from "@plimsoll/testbed";
import { podNetwork } from "./pod-addresses.ts";
import { key, password, token, userName } from "./secrets.ts";
import { periodMs, rules } from "./victim.ts";

/** Ends it at once. */
export async function killed(child: PlimsollProcess): Promise<void> {
  try {
    process.kill(child.pid, "SIGKILL");
  } catch {
    // It had ended by itself.
  }
  await child.exited;
}

/** Less than the chart's limit leaves them: what is kept for ever ends a process in seconds instead of days. */
const heapMb: Readonly<Record<PlimsollProgram, number>> = { "metrics-adapter": 160, autoscaler: 256 };

function startSmall(program: PlimsollProgram, args: readonly string[]): Promise<PlimsollProcess> {
  const how = plimsollCommand(program);
  return startPlimsoll(program, args, {
    ...how,
    args: [`--max-old-space-size=${heapMb[program]}`, ...how.args],
  });
}

export interface Files {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly prometheusUrl: string;
}

/** A query that takes longer has timed out: soon enough for a run of minutes. */
const queryTimeoutMs = 4000;

/** The rules file, and two sources with credentials of every kind that a file can hold. */
export function writeAdapterFiles({ folder, prometheusUrl }: Files): void {
  mkdirSync(join(folder, "adapter"), { recursive: true });
  const secret = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const server = { url: prometheusUrl, query: { timeout: `${queryTimeoutMs}ms` } };
  const sources = [
    {
      name: "default",
      ...server,
      auth: { type: "basic", username: userName, passwordFile: secret("password", password) },
      headersFrom: [{ name: "X-Key", file: secret("key", key) }],
    },
    { name: "bearer", ...server, auth: { type: "bearer", tokenFile: secret("token", token) } },
  ];
  writeFileSync(join(folder, "rules.yaml"), rules);
  writeFileSync(join(folder, "sources.yaml"), JSON.stringify({ sources }));
}

export function startAdapter({ folder, kubeconfig }: Files): Promise<PlimsollProcess> {
  return startSmall("metrics-adapter", [
    `--config=${join(folder, "rules.yaml")}`,
    `--sources-config=${join(folder, "sources.yaml")}`,
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${join(folder, "adapter")}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
    "--metrics-relist-interval=1s",
    "--metrics-max-age=10s",
    "--metrics-result-max-age=1s",
    "--metric-rules=true",
    "--live-metrics=true",
    `--live-pod-cidrs=${podNetwork}`,
  ]);
}

const leaseMs = 4_000;
const retryMs = 500;
/** Until another leads when a leader has ended at once: its lease runs out, and is tried for. */
export const takeoverMs = leaseMs + retryMs;

/** One that needs no lease, or several that elect a leader. */
export function startAutoscalers({ kubeconfig }: Files, count: number): Promise<readonly PlimsollProcess[]> {
  const election =
    count === 1
      ? ["--leader-elect=false"]
      : [
          "--leader-elect-resource-namespace=plimsoll",
          `--leader-elect-lease-duration=${leaseMs}ms`,
          "--leader-elect-renew-deadline=3s",
          `--leader-elect-retry-period=${retryMs}ms`,
        ];
  return Promise.all(
    Array.from({ length: count }, () =>
      startSmall("autoscaler", [
        `--kubeconfig=${kubeconfig}`,
        ...election,
        "--manage-hpas=all",
        "--cron-hpa=true",
        `--horizontal-pod-autoscaler-sync-period=${periodMs}ms`,
        "--insecure-decisions",
        "--port=0",
      ]),
    ),
  );
}
