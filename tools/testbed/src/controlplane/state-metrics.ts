// The real kube-state-metrics, built from a pinned module.
import { fileURLToPath } from "node:url";
import { buildGoProgram, isExecutable } from "../gobuild/go-program.ts";
import { type Child, startChild } from "../stack/child.ts";

const module = fileURLToPath(new URL("../../statemetrics/", import.meta.url));
const source = "k8s.io/kube-state-metrics/v2";

/**
 * The path of the program: that of $KUBE_STATE_METRICS, or one that is built from the pinned module, which takes minutes
 * the first time. @throws when there is no Go for that
 */
export async function findStateMetrics(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const given = environment["KUBE_STATE_METRICS"];
  if (given) {
    if (isExecutable(given)) return given;
    throw new Error(`KUBE_STATE_METRICS ${given} is not a program: name one, or leave it away`);
  }
  const otherwise = ", or set KUBE_STATE_METRICS to a kube-state-metrics of version 2";
  const program = {
    name: "kube-state-metrics",
    source,
    module,
    cache: "statemetrics",
    linkerFlags: [],
    otherwise,
  };
  return await buildGoProgram(program, report, environment);
}

export interface StateMetricsOptions {
  readonly binary: string;
  /** A file whose user may list what is exported. */
  readonly kubeconfig: string;
  readonly port: number;
  readonly telemetryPort: number;
}

/** Exports what autoscalers, targets and pods are at http://127.0.0.1:PORT/metrics. */
export function startStateMetrics({
  binary,
  kubeconfig,
  port,
  telemetryPort,
}: StateMetricsOptions): Promise<Child> {
  return startChild({
    name: "kube-state-metrics",
    command: binary,
    args: [
      `--kubeconfig=${kubeconfig}`,
      "--host=127.0.0.1",
      `--port=${port}`,
      "--telemetry-host=127.0.0.1",
      `--telemetry-port=${telemetryPort}`,
      "--resources=deployments,horizontalpodautoscalers,pods,replicasets",
    ],
    ready: (line) => line.includes("Started metrics server"),
  });
}
