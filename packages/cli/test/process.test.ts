// What only a process has: its exit code, its streams, its name, its signals. What commands do is tested as functions.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, test } from "vitest";
import { good } from "./good-rules.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const schedule = `apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: {name: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 20
  schedules:
    - {name: office, timeZone: Europe/Berlin, start: "0 8 * * *", end: "0 18 * * *", minReplicas: 6}
`;

const folder = fileFolder();
beforeAll(async () => {
  await writeFile(join(folder, "shop.yaml"), schedule);
});

function start(args: readonly string[], program = main) {
  return spawn(process.execPath, ["--conditions=@plimsoll/source", program, ...args], { cwd: folder });
}

async function endOf(child: ReturnType<typeof start>) {
  const ended = once(child, "close") as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

test.concurrent("findings about the standard input go to the standard output, and end with 2", async () => {
  const child = start(["rules", "check", "-"]);
  child.stdin.end(good.replace(/\$\{1\}/, () => "$1"));
  const ended = await endOf(child);
  expect([ended.code, ended.err]).toEqual([2, ""]);
  expect(ended.out).toContain("warning: -:4:");
});

test.concurrent("what cannot be done goes to the error output, and ends with 1", async () => {
  const ended = await endOf(start(["rules", "check", "missing.yaml"]));
  const message = "error: cannot read missing.yaml: file not found; check the path\n";
  expect(ended).toEqual({ code: 1, out: "", err: message });
});

const signals = ["SIGINT", "SIGTERM"] as const;

test.concurrent.each(signals)(
  "%s while it reads its input ends it with 130, without a word",
  async (signal) => {
    const child = start(["rules", "check", "-"]);
    // More than a pipe holds: it is written once the command reads.
    await new Promise((resolve) => child.stdin.write("# rules\n".repeat(200_000), resolve));
    child.kill(signal);
    expect(await endOf(child)).toEqual({ code: 130, out: "", err: "" });
  },
);

test.concurrent("it is a plugin of kubectl too", async () => {
  const program = join(folder, "kubectl-plimsoll");
  await symlink(main, program);
  const { code, out } = await endOf(start(["rules", "check", "--help"], program));
  expect(code).toBe(0);
  expect(out).toContain("Usage: kubectl plimsoll rules check [options] <FILE>");
});

test.concurrent("--version is that of the package", async () => {
  expect((await endOf(start(["--version"]))).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.concurrent("a closed pipe ends with 0 and no message", async () => {
  const child = start(["schedule", "preview", "shop.yaml", "--days=366"]);
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect([code, err]).toEqual([0, ""]);
});
