import { spawnSync } from "node:child_process";

/**
 * Nanoseconds of the real GetResourceReplicas by number of pods, from a program that reads {"pods":[…]} and
 * prints lines of {"pods":N,"nanoseconds":T}; undefined where none is given.
 */
export function measureGo(
  command: string | undefined,
  pods: readonly number[],
): ReadonlyMap<number, number> | undefined {
  if (command === undefined || command === "") return undefined;
  const child = spawnSync(command, {
    shell: true,
    encoding: "utf8",
    input: `${JSON.stringify({ pods })}\n`,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`${command} failed`);
  const lines = child.stdout.split("\n").filter((line) => line.startsWith("{"));
  const rows = lines.map((line) => JSON.parse(line) as { pods: number; nanoseconds: number });
  return new Map(rows.map((row) => [row.pods, row.nanoseconds]));
}
