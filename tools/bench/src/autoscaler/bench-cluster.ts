// Starts the benchmark's API server in a process of its own.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { StormState } from "./cluster-storm.ts";

export interface Lags {
  readonly stepped: number;
  readonly lagsMs: readonly number[];
}

/** The process of cluster.ts. */
export interface BenchCluster {
  counts(): Promise<Readonly<Record<string, number>>>;
  step(): Promise<void>;
  lags(): Promise<Lags>;
  /** Ends all watches so that each has to list. */
  relist(): Promise<void>;
  /** Makes every object scale once. */
  storm(): Promise<void>;
  stormState(): Promise<StormState>;
  /** Of a service account that may do everything. */
  token(name: string): Promise<string>;
  stop(): void;
}

/** Resolves when the cluster is full. */
export async function startBenchCluster(options: {
  readonly objects: number;
  readonly pods: number;
  readonly kubeconfig: string;
  readonly load: string;
  /** 0 by default: usage is new in each response. */
  readonly resolutionSeconds?: number;
}): Promise<BenchCluster> {
  const cluster = spawn(
    process.execPath,
    [
      "--conditions=@plimsoll/source",
      "--max-old-space-size=9000",
      fileURLToPath(new URL("./cluster.ts", import.meta.url)),
      String(options.objects),
      String(options.pods),
      options.kubeconfig,
      options.load,
      String(options.resolutionSeconds ?? 0),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface({ input: cluster.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const request = async (line: string): Promise<unknown> => {
    cluster.stdin.write(`${line}\n`);
    const { value } = await lines.next();
    return JSON.parse(String(value));
  };
  return {
    counts: async () => (await request("counts")) as Readonly<Record<string, number>>,
    async step() {
      await request("step");
    },
    lags: async () => (await request("lags")) as Lags,
    async relist() {
      await request("relist");
    },
    async storm() {
      await request("storm");
    },
    stormState: async () => (await request("storm-state")) as StormState,
    token: async (name) => (await request(`token ${name}`)) as string,
    stop() {
      cluster.stdin.end();
      cluster.kill();
    },
  };
}
