// npm run bench -- cli: what starting the command line costs, as ratios to a Node that does nothing.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox } from "@plimsoll/sandbox";

const runs = 15;
const packageCli = fileURLToPath(new URL("../../release/src/images/package-cli.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-cli-"));
const hook = join(folder, "usage.cjs");
const usageFile = join(folder, "usage.txt");
/** Written by the process itself at its end: its CPU in microseconds, and its memory in kilobytes. */
writeFileSync(
  hook,
  `process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  require("node:fs").writeFileSync(${JSON.stringify(usageFile)}, [userCPUTime + systemCPUTime, maxRSS].join(" "));
});
`,
);

interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
}

async function usageOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Usage> {
  const child = spawn(process.execPath, ["--require", hook, ...args], {
    stdio: "ignore",
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: join(folder, "cache"), ...env },
  });
  await once(child, "exit");
  const [cpuUs = 0, rssKb = 0] = readFileSync(usageFile, "utf8").split(" ").map(Number);
  return { cpuMs: cpuUs / 1000, rssMb: rssKb / 1024 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const sandbox = createSandbox();
const { kubeconfig } = await sandbox.start();
try {
  execFileSync(process.execPath, [packageCli, join(folder, "package")]);
  const kubeconfigFile = join(folder, "kubeconfig");
  writeFileSync(kubeconfigFile, kubeconfig);
  const bin = join(folder, "package", "bin", "plimsoll.cjs");
  const cases: readonly (readonly [name: string, args: readonly string[]])[] = [
    ["node -e 0", ["-e", "0"]],
    ["--version", [bin, "--version"]],
    ["--help", [bin, "--help"]],
    ["status, of a cluster without objects", [bin, "status", "-A", "--via=none"]],
    ["__complete explain ''", [bin, "__complete", "explain", ""]],
  ];
  const env = { KUBECONFIG: kubeconfigFile };
  const found = new Map<string, Usage[]>(cases.map(([name]) => [name, []]));
  // In turn, so that all of them have the same machine; the first turn fills the cache of compiled code.
  for (let turn = 0; turn <= runs; turn += 1) {
    for (const [name, args] of cases) {
      const usage = await usageOf(args, env);
      if (turn > 0) found.get(name)?.push(usage);
    }
  }
  const floor = median((found.get("node -e 0") ?? []).map(({ cpuMs }) => cpuMs));
  for (const [name, usages] of found) {
    const cpu = median(usages.map(({ cpuMs }) => cpuMs));
    const rss = median(usages.map(({ rssMb }) => rssMb));
    console.log(
      `${name.padEnd(40)} ${cpu.toFixed(0).padStart(5)} ms CPU  ${(cpu / floor).toFixed(1).padStart(5)} x  ${rss.toFixed(0).padStart(4)} MB`,
    );
  }
  const dist = join(folder, "package", "dist");
  const bytes = readdirSync(dist).reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
  console.log(`the bundle has ${(bytes / 1e6).toFixed(2)} MB`);
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
}
