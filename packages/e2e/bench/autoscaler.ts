// Runs the autoscaler as a process of its own against a sandbox with a stub metrics API, and says what a period costs.
//   node --conditions=@plimsoll/source bench/autoscaler.ts [--objects=100,1000] [--pods=15] [--periods=2]
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type PlimsollProcess, startPlimsoll } from "../src/stack/plimsoll-process.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "100,1000,5000,10000" },
    pods: { type: "string", default: "15" },
    periods: { type: "string", default: "2" },
  },
});
const periodSeconds = 15;
const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const pods = Number(values.pods);

interface Sample {
  readonly cpuSeconds: number;
  readonly metrics: ReadonlyMap<string, number>;
  readonly requests: Readonly<Record<string, number>>;
}

for (const objects of values.objects.split(",").map(Number)) await measure(objects);

async function measure(objects: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = spawn(
    process.execPath,
    [
      "--conditions=@plimsoll/source",
      "--max-old-space-size=6000",
      fileURLToPath(new URL("./autoscaler/cluster.ts", import.meta.url)),
      String(objects),
      String(pods),
      kubeconfig,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const answers = createInterface({ input: cluster.stdout })[Symbol.asyncIterator]();
  let autoscaler: PlimsollProcess | undefined;
  try {
    await answers.next();
    const startedMs = performance.now();
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${kubeconfig}`,
      "--port=0",
      "--manage-hpas=all",
      "--leader-elect=false",
      "--concurrent-horizontal-pod-autoscaler-syncs=50",
    ]);
    const { pid, port } = autoscaler;
    while (!autoscaler.lines.some((line) => line.includes('"evaluating"'))) await sleep(50);
    const listedSeconds = (performance.now() - startedMs) / 1000;
    // The first two periods write every status once, and let the machine code settle.
    await sleep(2 * periodSeconds * 1000);
    const before = await sample(pid, port);
    await sleep(Number(values.periods) * periodSeconds * 1000);
    report(objects, { before, after: await sample(pid, port), pid, listedSeconds });
  } finally {
    await autoscaler?.stop();
    cluster.stdin.end();
    cluster.kill();
    rmSync(folder, { recursive: true, force: true });
  }

  async function sample(pid: number, port: number): Promise<Sample> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return { cpuSeconds: cpuOf(pid), metrics: parse(text), requests: await requestsOf(cluster) };
  }

  async function requestsOf(process: ChildProcess): Promise<Readonly<Record<string, number>>> {
    process.stdin?.write("\n");
    const { value } = await answers.next();
    return JSON.parse(String(value)) as Readonly<Record<string, number>>;
  }
}

function report(
  objects: number,
  o: {
    readonly before: Sample;
    readonly after: Sample;
    readonly pid: number;
    readonly listedSeconds: number;
  },
): void {
  const periods = Number(values.periods);
  const { before, after } = o;
  const grown = (name: string) => sum(after, name) - sum(before, name);
  const cpu = (after.cpuSeconds - before.cpuSeconds) / periods;
  const evaluations = grown("plimsoll_hpa_controller_reconciliations_total") / periods;
  const kinds = Object.keys(after.requests);
  const calls = kinds.map(
    (kind) => [kind, ((after.requests[kind] ?? 0) - (before.requests[kind] ?? 0)) / periods] as const,
  );
  const total = calls.reduce((all, [kind, n]) => all + (kind === "metrics" ? 0 : n), 0);
  const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${o.pid}/status`, "utf8"))?.[1]) / 1024;
  const goalMiB = 90 + (objects * pods * 400 + objects * 4096) / 2 ** 20;
  const late = "plimsoll_hpa_controller_turn_lateness_seconds_bucket";
  const rows: readonly (readonly [string, string, string])[] = [
    ["ready to evaluate after", `${o.listedSeconds.toFixed(1)} s`, "P10: list and parse × 2"],
    ["evaluations per period", `${evaluations.toFixed(0)} of ${objects}`, "all"],
    ["CPU per period", `${cpu.toFixed(2)} s`, `P2: ${((0.25 * objects) / 10_000).toFixed(3)} s`],
    ["CPU per evaluation", `${((cpu / evaluations) * 1e6).toFixed(0)} µs`, "P2: 25 µs"],
    ["lag of a turn p50, p99", `≤ ${quantile(0.5)} s, ≤ ${quantile(0.99)} s`, "P11: 0.5 s, 1 s"],
    ["API requests per object per period", (total / objects).toFixed(3), "P6: 0.05"],
    ["RSS", `${rssMiB.toFixed(0)} MiB`, `P7: ${goalMiB.toFixed(0)} MiB`],
    ["event-loop delay p99, max", `${loop("p99")} ms, ${loop("max")} ms`, "P8: 25 ms (p99.9), 50 ms"],
  ];
  console.log(`\n${objects} objects × ${pods} pods, period ${periodSeconds} s, ${periods} periods`);
  for (const [what, found, goal] of rows) console.log(`  ${what.padEnd(36)} ${found.padEnd(24)} ${goal}`);
  console.log(
    `  requests: ${calls
      .filter(([, n]) => n > 0)
      .map(([kind, n]) => `${kind} ${n.toFixed(0)}`)
      .join(", ")}`,
  );

  function quantile(share: number): string {
    const bounds = [...after.metrics.keys()]
      .filter((key) => key.startsWith(`${late}{`))
      .map((key) => ({ key, le: Number(/le="([^"]+)"/.exec(key)?.[1]?.replace("+Inf", "Infinity")) }))
      .sort((one, other) => one.le - other.le);
    const count = (key: string) => (after.metrics.get(key) ?? 0) - (before.metrics.get(key) ?? 0);
    const all = count(bounds.at(-1)?.key ?? "");
    return String(bounds.find(({ key }) => count(key) >= share * all)?.le ?? "?");
  }

  function loop(what: string): string {
    return ((after.metrics.get(`nodejs_eventloop_lag_${what}_seconds`) ?? Number.NaN) * 1000).toFixed(1);
  }
}

function sum({ metrics }: Sample, name: string): number {
  let total = 0;
  for (const [key, value] of metrics) if (key === name || key.startsWith(`${name}{`)) total += value;
  return total;
}

function parse(text: string): ReadonlyMap<string, number> {
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const space = line.lastIndexOf(" ");
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
  );
}

/** User and system time of a process, all threads. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
