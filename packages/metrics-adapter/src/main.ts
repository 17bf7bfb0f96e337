import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemClock } from "@plimsoll/kube";
import { pino } from "pino";
import { run } from "./process/run.ts";

/** From here on each request is logged. */
const debugVerbosity = 6;

const stopAsked = new Promise<void>((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      // A second signal means now.
      process.once(signal, () => process.exit(1));
      resolve();
    });
  }
});

process.on("unhandledRejection", (reason) => {
  process.stderr.write(
    `${JSON.stringify({ level: "error", msg: "unhandled rejection", err: String(reason) })}\n`,
  );
});

async function packageVersion(): Promise<string> {
  const description: unknown = JSON.parse(
    await readFile(new URL("../package.json", import.meta.url), "utf8"),
  );
  return typeof description === "object" && description !== null && "version" in description
    ? String(description.version)
    : "unknown";
}

process.exitCode = await run({
  args: process.argv.slice(2),
  writeOut: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  createLog: (verbosity) =>
    pino({
      level: verbosity >= debugVerbosity ? "debug" : "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    }),
  readText: (path) => readFile(path, "utf8"),
  clock: systemClock,
  hostname: hostname(),
  build: {
    version: await packageVersion(),
    runtime: process.version,
    platform: `${process.platform}/${process.arch}`,
  },
  // In a cluster, others need a moment to learn that this pod is leaving.
  shutdownDelayMs: process.env["KUBERNETES_SERVICE_HOST"] === undefined ? 0 : 5000,
  stopAsked,
});
// What is left open, such as a connection that will not close, must not keep the process.
process.exit();
