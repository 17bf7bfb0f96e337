// The thread of the watchdog: ends what the main thread does when its event loop has not turned for long.
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { beatCount, interruptionCount } from "./counts.ts";

const { counts, limitMs } = workerData as { readonly counts: Int32Array; readonly limitMs: number };
let seen = -1;
let since = process.cpuUsage();

function look(): void {
  const beat = Atomics.load(counts, beatCount);
  const { user, system } = process.cpuUsage(since);
  const isStuck = beat === seen && (user + system) / 1000 >= limitMs;
  if (beat === seen && !isStuck) return;
  seen = beat;
  since = process.cpuUsage();
  if (!isStuck) return;
  Atomics.add(counts, interruptionCount, 1);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
  parentPort?.postMessage("interrupted");
}

setInterval(look, limitMs / 10);
