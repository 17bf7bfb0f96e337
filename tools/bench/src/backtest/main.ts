// npm run task -- bench-backtest: what a backtest of a week costs, out of a real Prometheus.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  fromMs,
  hpa,
  type MadeUpDay,
  type MadeUpSeries,
  madeUpDay,
  seriesWithin,
} from "@plimsoll/backtest/testing";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";

/** A week, or $HOURS. */
const hours = Number(process.env["HOURS"] ?? 7 * 24);
/** A head takes samples of about the same time only. */
const sliceMs = 1_800_000;
/** Pods on average: 15 for each. */
const scale = 3.4;
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const prometheus = await startRealPrometheus(process.env["PROMETHEUS"] ?? "prometheus");
try {
  const day = madeUpDay(hours, { scale });
  await write(day);
  const manifest = join(folder, "hpa.json");
  writeFileSync(manifest, JSON.stringify(hpa));
  const podSeconds = day.counts.reduce((sum, { atMs, value }, at) => {
    const endMs = day.counts[at + 1]?.atMs ?? day.toMs;
    return sum + (value * (endMs - atMs)) / 1000;
  }, 0);
  console.log(
    `${hours} h, ${(podSeconds / 3600 / hours).toFixed(1)} pods on average, ${day.pods.length} in all, ${day.counts.length - 1} changes of the count`,
  );
  await measure("status", ["--level=status", "--manifest", manifest], day);
  await measure("series", ["--query=load=load", "--manifest", manifest], day);
} finally {
  await prometheus.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function write(day: MadeUpDay): Promise<void> {
  for (let at = fromMs; at < day.toMs; at += sliceMs) {
    const span = { fromMs: at, toMs: at + sliceMs };
    await prometheus.write([...seriesWithin(day, span), ...loadWithin(day, span)]);
  }
}

/** What the next decision reads, of each pod; a rate takes a pod about as long as being Ready. */
function loadWithin(
  day: MadeUpDay,
  span: { readonly fromMs: number; readonly toMs: number },
): readonly MadeUpSeries[] {
  const next = day.status
    .map(({ atMs }, at) => [atMs, (day.status[at + 1] ?? day.status[at])?.values[0] ?? 0] as const)
    .filter(([atMs]) => atMs >= span.fromMs && atMs < span.toMs);
  return day.pods.flatMap(({ name, ready: [first], deletedMs = Infinity }) => {
    const samples = next.filter(([atMs]) => atMs >= (first?.fromMs ?? Infinity) && atMs < deletedMs);
    return samples.length === 0
      ? []
      : [{ labels: { __name__: "load", namespace: "default", pod: name }, samples }];
  });
}

async function measure(level: string, args: readonly string[], { toMs }: MadeUpDay): Promise<void> {
  const before = await requests(prometheus);
  const file = join(folder, "meter.json");
  const until = new Date(toMs).toISOString();
  const run = spawnSync(
    process.execPath,
    [
      "--conditions=@plimsoll/source",
      `--import=${path("meter.ts")}`,
      path("../../../../packages/cli/src/main.ts"),
      "backtest",
      "hpa/shop",
      `--prometheus-url=${prometheus.url}`,
      `--since=${hours}h`,
      `--until=${until}`,
      ...args,
    ],
    { encoding: "utf8", env: { ...process.env, METER: file } },
  );
  const { cpuSeconds, maxMegabytes } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly cpuSeconds: number;
    readonly maxMegabytes: number;
  };
  const made = (await requests(prometheus)) - before;
  console.log(
    `\n${level}: ${cpuSeconds.toFixed(1)} s of CPU, ${Math.round(maxMegabytes)} MB, ${made} requests, exit ${run.status}`,
  );
  console.log(`${run.stdout}${run.stderr}`.split("\n").slice(0, 8).join("\n"));
}

async function requests({ url }: RealPrometheus): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text
    .split("\n")
    .filter((line) =>
      /^prometheus_http_requests_total\{.*handler="\/api\/v1\/(?:query|query_range|series)"/.test(line),
    );
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
