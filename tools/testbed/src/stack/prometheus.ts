import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@plimsoll/component-base/testing";
import { type Child, type ChildOptions, startChild } from "./child.ts";
import type { Command } from "./plimsoll-process.ts";

/** A real Prometheus. */
export interface PrometheusServer extends Child {
  readonly url: string;
}

export interface PrometheusOptions extends Pick<ChildOptions, "onSpawn"> {
  /** The program; `npm run` scripts hand it on as $PROMETHEUS. */
  readonly binary: string;
  /** A folder of its own. */
  readonly folder: string;
  /** host:port of the exporter of the workloads. */
  readonly target?: string;
  /** host:port of what exports the state of objects, as kube-state-metrics does. */
  readonly stateTarget?: string;
  /** Finds the autoscaler, once it is named there. */
  readonly autoscalerTargets?: string;
  /** YAML items of scrape_configs beside it. */
  readonly scrapeConfigs?: string;
  readonly scrapeIntervalMs: number;
  readonly port?: number;
  /** It ends when its own memory, without mapped files, passes this; where the system has a POSIX shell. */
  readonly memoryMb?: number;
}

export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  mkdirSync(options.folder, { recursive: true });
  const config = join(options.folder, "prometheus.yml");
  writeFileSync(config, configuration(options));
  const address = `127.0.0.1:${options.port ?? (await freePort())}`;
  const child = await startChild({
    name: "Prometheus",
    ...limited(options, [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(options.folder, "data")}`,
      `--web.listen-address=${address}`,
      "--storage.tsdb.retention.time=1d",
    ]),
    onSpawn: options.onSpawn,
    ready: (line) => line.includes("Server is ready to receive web requests"),
  });
  return Object.assign(child, { url: `http://${address}` });
}

/** A limit of the address space would stop Go at its start, which reserves more than it uses. */
function limited({ binary, memoryMb }: PrometheusOptions, args: readonly string[]): Command {
  if (memoryMb === undefined) return { command: binary, args };
  const script = `ulimit -d ${memoryMb * 1024} && exec "$0" "$@"`;
  return { command: "sh", args: ["-c", script, binary, ...args] };
}

function configuration({ target, stateTarget, autoscalerTargets, ...options }: PrometheusOptions): string {
  const interval = `${options.scrapeIntervalMs}ms`;
  return `global:
  scrape_interval: ${interval}
  scrape_timeout: ${interval}
scrape_configs:
${target === undefined ? "" : staticJob("workloads", target)}${
  stateTarget === undefined ? "" : staticJob("kube-state-metrics", stateTarget)
}${autoscalerTargets === undefined ? "" : foundJob("autoscaler", autoscalerTargets)}${options.scrapeConfigs ?? ""}`;
}

/** Labels of the objects that series are about stay as they are. */
function staticJob(name: string, target: string): string {
  return `  - job_name: ${name}
    honor_labels: true
    static_configs:
      - targets: ["${target}"]
`;
}

function foundJob(name: string, file: string): string {
  return `  - job_name: ${name}
    honor_labels: true
    file_sd_configs:
      - files: ["${file}"]
`;
}

/** The real Prometheus that setup found. @throws when this runs without it. */
export function prometheusProgram(): string {
  const program = process.env["PROMETHEUS"];
  if (program === undefined) throw new Error("set PROMETHEUS=/path/to/prometheus, or use the npm scripts");
  return program;
}
