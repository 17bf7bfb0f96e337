import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import { connect, systemClock } from "@plimsoll/kube";
import { pino } from "pino";
import { collectDefaultMetrics, Registry } from "prom-client";
import { createAutoscaler } from "./app.ts";
import { helpText, readCommandLine } from "./options/command-line.ts";
import { compileConfig, problemLine } from "./options/config.ts";

// Left alone, the heap grows to several times of what is in use before the old part is collected. What is kept here is
// replaced every period, so that would be all the memory there is.
setFlagsFromString("--heap-growing-percent=60");

await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  const line = readCommandLine(argv);
  if (line.help) {
    process.stdout.write(helpText());
    return;
  }
  const compiled = compileConfig(line, {
    podNamespace: podNamespace(),
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  if (!compiled.ok) {
    for (const problem of compiled.problems) process.stderr.write(`autoscaler: ${problemLine(problem)}\n`);
    process.exitCode = 2;
    return;
  }
  const { config, processConfig } = compiled;
  const log = pino({
    level: processConfig.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
  });
  for (const warning of compiled.warnings) log.warn({}, warning);

  const { kubeconfig, context } = processConfig;
  const client = await connect({
    userAgent: "plimsoll-autoscaler",
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  }).catch((error: unknown) => fail("cannot connect: check --kubeconfig and --context", error));
  if (client === undefined) return;

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const autoscaler = createAutoscaler(config, {
    client,
    clock: systemClock,
    log,
    registry,
    hostname: hostname(),
    identity: `${hostname()}_${randomUUID()}`,
  });

  let stopping: Promise<void> | undefined;
  const stop = (signal: string): void => {
    if (stopping !== undefined) process.exit(1);
    log.info({ signal }, "stopping");
    stopping = autoscaler
      .stop()
      .then(() => client.close())
      .then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));

  const bound = await autoscaler
    .start()
    .catch((error: unknown) =>
      fail("cannot serve: check --bind-address, --port, --secure-port and the --tls files", error),
    );
  if (bound === undefined) return;
  log.info({ ...bound, server: client.server, manageHpas: config.manageHpas }, "serving");
}

/** Undefined outside a pod. */
function podNamespace(): string | undefined {
  try {
    return (
      readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "utf8").trim() || undefined
    );
  } catch {
    return undefined;
  }
}

function fail(message: string, error: unknown): undefined {
  process.stderr.write(`autoscaler: ${message}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  return undefined;
}
