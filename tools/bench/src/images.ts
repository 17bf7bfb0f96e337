// npm run bench -- images: how large the images are, and how soon their processes serve.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox } from "@plimsoll/sandbox";
import {
  contained,
  type PlimsollProgram,
  processInside,
  readDockerfile,
  startPlimsoll,
} from "@plimsoll/testbed";

const runs = 9;
const ticksPerSecond = 100;
const repository = fileURLToPath(new URL("../../../", import.meta.url));
const rules = fileURLToPath(new URL("../../testbed/gauge-rules.yaml", import.meta.url));

const args: Readonly<Record<PlimsollProgram, readonly string[]>> = {
  "metrics-adapter": [
    "--secure-port=0",
    "--cert-dir=/tmp/cert",
    "--prometheus-url=http://127.0.0.1:9",
    "--config=/tmp/config.yaml",
    "--lister-kubeconfig=/tmp/kubeconfig",
    "--authentication-kubeconfig=/tmp/kubeconfig",
    "--authorization-kubeconfig=/tmp/kubeconfig",
  ],
  autoscaler: ["--kubeconfig=/tmp/kubeconfig", "--port=0"],
};

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-images-"));
const sandbox = createSandbox();
const { kubeconfig } = await sandbox.start();
try {
  for (const name of ["metrics-adapter", "autoscaler"] as const) await measure(name);
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name: PlimsollProgram): Promise<void> {
  const recipe = readDockerfile(
    readFileSync(join(repository, "deploy", "images", name, "Dockerfile"), "utf8"),
  );
  const rootfs = join(folder, name, "rootfs");
  const tmp = join(folder, name, "tmp");
  mkdirSync(tmp, { recursive: true });
  writeFileSync(join(tmp, "kubeconfig"), kubeconfig);
  writeFileSync(join(tmp, "config.yaml"), readFileSync(rules));
  execFileSync(process.execPath, [...recipe.assemble.slice(1), rootfs], { cwd: repository, env: {} });

  const wall: number[] = [];
  const cpu: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const how = contained(recipe, { rootfs, tmp, args: recipe.entrypoint });
    const startedAt = performance.now();
    const started = await startPlimsoll(name, args[name], how);
    wall.push(performance.now() - startedAt);
    cpu.push(cpuMs(processInside(started.pid)));
    process.kill(processInside(started.pid), "SIGKILL");
    await started.exited;
  }
  const layer = execFileSync("sh", ["-c", 'tar -C "$1" -c . | gzip -6 | wc -c', "sh", rootfs], {
    encoding: "utf8",
  });
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const bundle = statSync(join(rootfs, recipe.entrypoint[0] ?? "")).size;
  console.log(`${name}: layer ${mib(Number(layer))} compressed, bundle ${mib(bundle)}`);
  console.log(`  until it serves, ${runs} starts: ${spread(wall)} of time, ${spread(cpu)} of CPU`);
}

function cpuMs(pid: number): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return ((user + system) * 1000) / ticksPerSecond;
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  return `least ${sorted[0]?.toFixed(0)} ms, median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms`;
}
