// Reads process ids from standard input, "+PID" for one that started and "-PID" for one that ended. When the input
// closes, it ends those that are left and removes the folder that its argument names.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const GRACE_MS = 2_000;
const POLL_MS = 50;

const running = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (!Number.isSafeInteger(pid) || pid <= 1) continue;
  if (line.startsWith("+")) running.add(pid);
  else running.delete(pid);
}

for (const pid of running) send(pid, "SIGTERM");
for (let waitedMs = 0; waitedMs < GRACE_MS && [...running].some((pid) => send(pid, 0)); waitedMs += POLL_MS) {
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
for (const pid of running) send(pid, "SIGKILL");

const [folder] = process.argv.slice(2);
if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/** False when there is no such process. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
