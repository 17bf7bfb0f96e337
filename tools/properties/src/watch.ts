// Ends a process that is busy without end, and says why: its own timers cannot run.
import { Worker } from "node:worker_threads";

export interface Watched {
  readonly limitMs: number;
  /** Printed before the process is ended. */
  readonly text: string;
}

const program = `
const { writeSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");
const timers = new Map();
parentPort.on("message", ({ id, limitMs, text }) => {
  clearTimeout(timers.get(id));
  timers.delete(id);
  if (text === undefined) return;
  const end = () => {
    writeSync(2, text + "\\n");
    process.kill(process.pid, "SIGKILL");
  };
  timers.set(id, setTimeout(end, limitMs));
});`;

let worker: Worker | undefined;
let lastId = 0;

/** @returns what ends the watch */
export function watch({ limitMs, text }: Watched): () => void {
  worker ??= new Worker(program, { eval: true, execArgv: [] });
  worker.unref();
  const id = ++lastId;
  worker.postMessage({ id, limitMs, text });
  return () => worker?.postMessage({ id });
}
