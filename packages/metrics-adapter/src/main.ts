// The entry of the process: signals, the log and the exit code.
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemClock } from "@plimsoll/component-base";
import { createLogger, createLogOutput } from "@plimsoll/component-base/logger";
import {
  hideSecretsOfCrashes,
  keepHeapSmall,
  packageVersion,
  stopSignal,
} from "@plimsoll/component-base/process";
import { redact } from "@plimsoll/core/redact";
import { run } from "./app/run.ts";
import { podShutdownDelayMs } from "./app/shutdown-times.ts";

/** From here on each request is logged. */
const debugVerbosity = 6;

// Lists of metrics and pages of pods are garbage soon: without a limit the heap would more than double for them.
keepHeapSmall(100);

const stopRequested = stopSignal().then(() => undefined);

hideSecretsOfCrashes();
process.on("unhandledRejection", (reason) => {
  process.stderr.write(
    `${JSON.stringify({ level: "error", msg: "unhandled rejection", err: redact(String(reason)) })}\n`,
  );
});

const output = createLogOutput();

process.exitCode = await run({
  args: process.argv.slice(2),
  writeOut: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  createLog: (verbosity) => createLogger(verbosity >= debugVerbosity ? "debug" : "info", output),
  lostLogLines: () => output.lost,
  readText: (path) => readFile(path, "utf8"),
  clock: systemClock,
  hostname: hostname(),
  proxyEnv: process.env,
  build: {
    version: await packageVersion(import.meta.url),
    runtime: process.version,
    platform: `${process.platform}/${process.arch}`,
  },
  shutdownDelayMs: process.env["KUBERNETES_SERVICE_HOST"] === undefined ? 0 : podShutdownDelayMs,
  stopRequested,
});
await output.flush();
// What is left open, such as a connection that will not close, must not keep the process.
process.exit();
