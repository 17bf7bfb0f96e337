// Runs the autoscaler as a process of its own against a sandbox with a fake metrics API, and says what a period costs.
//   node --conditions=@plimsoll/source tools/bench/src/autoscaler/main.ts [--objects=100,1000] [--pods=15] [--periods=2] [--period=3] [--load=moving]
// The process is the one file that its image holds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "@plimsoll/kube";
import { type PlimsollProcess, startPlimsoll } from "@plimsoll/testbed";
import { asInImage } from "./as-in-image.ts";
import { startBenchCluster } from "./bench-cluster.ts";
import { compareOnRealServer } from "./real/compare.ts";
import { defaultPeriodSeconds, report } from "./report.ts";
import { cpuOf, type Sample, scrape } from "./sample.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "100,1000,5000,10000" },
    pods: { type: "string", default: "15" },
    periods: { type: "string", default: "2" },
    /** Seconds: --horizontal-pod-autoscaler-sync-period. */
    period: { type: "string", default: String(defaultPeriodSeconds) },
    /** Periods before: the first writes every status once, and the machine code has to settle. */
    settle: { type: "string", default: "2" },
    /** Seconds for which usage keeps its timestamps and values; metrics-server has 15. 0: each response has new ones. */
    resolution: { type: "string", default: "0" },
    /** "still": all at their targets. "moving": every value changes, and no count. */
    load: { type: "string", default: "still" },
    /** The bundled process; the one of these sources, as the image has it, when absent. */
    program: { type: "string" },
    /** For its node; the image has the same. */
    node: { type: "string", default: "--max-semi-space-size=8" },
    /** More flags of the autoscaler. */
    flags: { type: "string", default: "" },
    /** On a real kube-apiserver, in turns with kube-controller-manager. */
    real: { type: "boolean", default: false },
    rounds: { type: "string", default: "1" },
  },
});
const pods = Number(values.pods);
const periods = Number(values.periods);
const periodSeconds = Number(values.period);

const built = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const program = {
  // Which its image sets as well.
  command: "env",
  args: [
    "MALLOC_ARENA_MAX=1",
    process.execPath,
    ...words(values.node),
    values.program ?? asInImage(join(built, "rootfs")),
  ],
};
for (const objects of values.objects.split(",").map(Number)) {
  if (!values.real) await measure(objects);
  else
    await compareOnRealServer({ objects, podsEach: pods, periods, rounds: Number(values.rounds), program });
}
rmSync(built, { recursive: true, force: true });

async function measure(objects: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = await startBenchCluster({
    objects,
    pods,
    kubeconfig,
    load: values.load,
    resolutionSeconds: Number(values.resolution),
  });
  let autoscaler: PlimsollProcess | undefined;
  try {
    const floor = await listFloor(kubeconfig);
    const startedMs = performance.now();
    autoscaler = await start(kubeconfig);
    const { pid, port } = autoscaler;
    while (!autoscaler.lines.some((line) => line.includes('"evaluating"'))) await sleep(20);
    const listedSeconds = (performance.now() - startedMs) / 1000;
    const startCpuSeconds = cpuOf(pid);
    await sleep(Number(values.settle) * periodSeconds * 1000);
    const before = await sample(pid, port);
    const scrapeCpuSeconds = cpuOf(pid) - before.cpuSeconds;
    const cpuAfterScrape = cpuOf(pid);
    const measuredFromMs = performance.now();
    await sleep(periods * periodSeconds * 1000);
    // On a busy machine more than what was waited for.
    const measuredPeriods = (performance.now() - measuredFromMs) / 1000 / periodSeconds;
    const after = await sample(pid, port);
    await cluster.step();
    await sleep((periodSeconds + 3) * 1000);
    report({
      objects,
      pods,
      periodSeconds,
      periods: measuredPeriods,
      before,
      after,
      listedSeconds,
      startCpuSeconds,
      floor,
      scrapeCpuSeconds,
      cpuSeconds: after.cpuSeconds - cpuAfterScrape,
      lags: await cluster.lags(),
    });
  } finally {
    await autoscaler?.stop();
    cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  /** The scrape comes last: what it costs is not the loop's. */
  async function sample(pid: number, port: number): Promise<Sample> {
    const requests = await cluster.counts();
    return { cpuSeconds: cpuOf(pid), requests, ...(await scrape(pid, port)) };
  }
}

function start(kubeconfig: string): Promise<PlimsollProcess> {
  return startPlimsoll(
    "autoscaler",
    [
      `--kubeconfig=${kubeconfig}`,
      "--port=0",
      "--manage-hpas=all",
      "--leader-elect=false",
      "--concurrent-horizontal-pod-autoscaler-syncs=50",
      `--horizontal-pod-autoscaler-sync-period=${periodSeconds}s`,
      ...words(values.flags),
    ],
    program,
  );
}

function words(text: string): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Page {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly unknown[];
}

/** A baseline without caches: seconds for the lists that a start needs, read and parsed page by page by a client that keeps nothing. */
async function listFloor(kubeconfig: string): Promise<number> {
  const client = await connect({ kubeconfig, userAgent: "floor" });
  const startedMs = performance.now();
  const paths = [
    "/api/v1/pods",
    "/apis/autoscaling/v2/horizontalpodautoscalers",
    "/apis/apps/v1/deployments",
  ];
  await Promise.all(
    paths.map(async (path) => {
      let token: string | undefined;
      do {
        const page: Page = await client.request<Page>({ path, query: { limit: 500, continue: token } });
        token = page.metadata.continue;
      } while (token !== undefined && token !== "");
    }),
  );
  await client.close();
  return (performance.now() - startedMs) / 1000;
}
