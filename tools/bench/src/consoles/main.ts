// What consoles cost one autoscaler: the same process with none and with 50 of them, by turns. Real sockets, TLS, tokens.
//   npm run bench -- consoles [--objects=10000] [--consoles=50] [--rounds=3] [--seconds=30]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { type PlimsollProcess, startPlimsoll } from "@plimsoll/testbed";
import { asInImage } from "../autoscaler/as-in-image.ts";
import { type BenchCluster, startBenchCluster } from "../autoscaler/bench-cluster.ts";
import { latenessOf } from "../autoscaler/lateness.ts";
import { cpuOf, scrape } from "../autoscaler/sample.ts";
import { type OpenConsole, openConsole } from "./open-console.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "10000" },
    pods: { type: "string", default: "15" },
    consoles: { type: "string", default: "50" },
    rounds: { type: "string", default: "3" },
    /** Of each turn; a period is 15 s. */
    seconds: { type: "string", default: "30" },
    /** The bundled process; the one of these sources, as the image has it, when absent. */
    program: { type: "string" },
  },
});
const [objects, pods, consoles, rounds, seconds] = [
  values.objects,
  values.pods,
  values.consoles,
  values.rounds,
  values.seconds,
].map(Number) as [number, number, number, number, number];
const periodSeconds = 15;
/** One user has 20 streams at most. */
const perUser = 20;
const budgetPercent = 5;

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const kubeconfig = join(folder, "kubeconfig");
const cluster = await startBenchCluster({ objects, pods, kubeconfig, load: "moving" });
let autoscaler: PlimsollProcess | undefined;
try {
  const { certPem, keyPem, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  autoscaler = await start(certPem, keyPem);
  await compare(autoscaler, await tokensOf(cluster), caPem);
} finally {
  await autoscaler?.stop();
  cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function start(certPem: string, keyPem: string): Promise<PlimsollProcess> {
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  writeFileSync(cert, certPem);
  writeFileSync(key, keyPem, { mode: 0o600 });
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--port=0",
    "--secure-port=0",
    `--tls-cert-file=${cert}`,
    `--tls-private-key-file=${key}`,
    "--manage-hpas=all",
    "--leader-elect=false",
    "--concurrent-horizontal-pod-autoscaler-syncs=50",
  ];
  const program = values.program ?? asInImage(join(folder, "rootfs"));
  const args = ["--max-semi-space-size=16", program];
  const started = await startPlimsoll("autoscaler", flags, { command: process.execPath, args });
  while (!started.lines.some((line) => line.includes('"evaluating"'))) await sleep(50);
  // The first periods write every status, and the machine code has to settle.
  await sleep(4 * periodSeconds * 1000);
  return started;
}

function tokensOf(from: BenchCluster): Promise<readonly string[]> {
  const users = Math.ceil(consoles / perUser);
  return Promise.all(Array.from({ length: users }, (_, index) => from.token(`reader-${index}`)));
}

interface Turn {
  readonly cpuPercent: number;
  readonly rssMiB: number;
  readonly lateP50: string;
  readonly lateP99: string;
}

async function compare(
  { pid, port, securePort = 0 }: PlimsollProcess,
  tokens: readonly string[],
  ca: string,
): Promise<void> {
  console.log(`${objects} objects × ${pods} pods, all values moving; ${rounds} rounds of ${seconds} s each`);
  const [without, beside]: [Turn[], Turn[]] = [[], []];
  const opening: number[] = [];
  for (let round = 0; round < rounds; round++) {
    without.push(await turn(pid, port));
    const before = cpuOf(pid);
    const open = await openAll(securePort, ca, tokens);
    opening.push(cpuOf(pid) - before);
    const at = received(open);
    beside.push(await turn(pid, port));
    const got = received(open);
    console.log(
      `  round ${round + 1}: ${open.length} streams, each ${((got.bytes - at.bytes) / open.length / seconds / 1000).toFixed(0)} kB/s in ${((got.batches - at.batches) / open.length).toFixed(0)} batches`,
    );
    const ends = open.flatMap((one) => one.ended() ?? []);
    for (const one of open) one.close();
    if (ends.length > 0) throw new Error(`${ends.length} streams ended: ${ends[0]}`);
  }
  show("no console", without);
  show(`${consoles} consoles`, beside);
  console.log(`  opening ${consoles} consoles: ${opening.map((one) => one.toFixed(2)).join("  ")} s of CPU`);
  const added = middle(beside.map((one, index) => one.cpuPercent - (without[index]?.cpuPercent ?? 0)));
  const mark = added <= budgetPercent ? "ok  " : "OVER";
  console.log(`${mark} ${consoles} consoles: ${added.toFixed(1)} % of a core more (budget ${budgetPercent})`);
  if (added > budgetPercent) process.exitCode = 1;
}

async function openAll(port: number, ca: string, tokens: readonly string[]): Promise<readonly OpenConsole[]> {
  const open: OpenConsole[] = [];
  let failures = 0;
  while (open.length < consoles)
    try {
      open.push(await openConsole({ port, ca, token: tokens[open.length % tokens.length] ?? "" }));
    } catch (error) {
      // On a busy machine a review of rights may fail: a reader tries again, as the page does.
      if (++failures > consoles) throw error;
    }
  if (failures > 0) console.log(`  ${failures} consoles were opened again: a request of theirs failed`);
  return open;
}

function received(open: readonly OpenConsole[]): { readonly bytes: number; readonly batches: number } {
  const all = open.map((one) => one.received());
  return {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    batches: all.reduce((sum, { batches }) => sum + batches, 0),
  };
}

/** The scrapes are outside of what is measured. */
async function turn(pid: number, port: number): Promise<Turn> {
  const before = await scrape(pid, port);
  const [cpuBefore, beganMs] = [cpuOf(pid), performance.now()];
  await sleep(seconds * 1000);
  const cpuPercent = (100 * (cpuOf(pid) - cpuBefore)) / ((performance.now() - beganMs) / 1000);
  const after = await scrape(pid, port);
  return {
    cpuPercent,
    rssMiB: after.rssMiB,
    lateP50: latenessOf(before, after, 0.5),
    lateP99: latenessOf(before, after, 0.99),
  };
}

function show(what: string, turns: readonly Turn[]): void {
  const line = (of: (one: Turn) => string) => turns.map(of).join("  ");
  console.log(`  ${what}`);
  console.log(`    CPU, % of a core            ${line(({ cpuPercent }) => cpuPercent.toFixed(1))}`);
  console.log(`    RSS, MiB                    ${line(({ rssMiB }) => rssMiB.toFixed(0))}`);
  console.log(`    lateness p50 ≤, p99 ≤, in s ${line(({ lateP50, lateP99 }) => `${lateP50}, ${lateP99}`)}`);
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
