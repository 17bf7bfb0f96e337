// The program `autoscaler`: reads flags, connects to the cluster, serves and evaluates until it gets a signal.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { createCalendarWorker } from "@plimsoll/calendars";
import { isTaskThread, messageOf, systemClock } from "@plimsoll/component-base";
import { withStartupCode } from "@plimsoll/component-base/catalog";
import { createLogger, createLogOutput, lostLinesCounter } from "@plimsoll/component-base/logger";
import {
  hideSecretsOfCrashes,
  keepHeapSmall,
  packageVersion,
  stopSignal,
} from "@plimsoll/component-base/process";
import { redact } from "@plimsoll/core/redact";
import { connect } from "@plimsoll/kube";
import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import { createAutoscaler } from "./app/app.ts";
import { helpText, readCommandLine } from "./options/command-line.ts";
import { type CompiledConfig, compileConfig } from "./options/config.ts";

// What is kept here is replaced every period: without a limit that would be all the memory there is.
keepHeapSmall(20);

/** Where the chart mounts it. */
const relayTokenFile = "/var/run/secrets/plimsoll/relay/token";

if (!isTaskThread) await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  hideSecretsOfCrashes();
  const line = readCommandLine(argv);
  if (line.isHelp) {
    process.stdout.write(helpText());
    return;
  }
  if (line.isVersion) {
    process.stdout.write(`${await packageVersion(import.meta.url)}\n`);
    return;
  }
  const compiled = compileConfig(line, {
    podNamespace: podNamespace(),
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    ownAddress: process.env["POD_IP"] ?? machineAddress(),
    relayTokenFile: existsSync(relayTokenFile) ? relayTokenFile : undefined,
  });
  if (!compiled.ok) {
    for (const problem of compiled.problems)
      process.stderr.write(`autoscaler: ${redact(withStartupCode(problem))}\n`);
    process.exitCode = 1;
    return;
  }
  await serve(compiled);
}

/** Runs until a signal. */
async function serve(compiled: Extract<CompiledConfig, { ok: true }>): Promise<void> {
  const { config, processConfig } = compiled;
  const output = createLogOutput();
  const log = createLogger(processConfig.logLevel, output);
  for (const warning of compiled.warnings) log.warn({ warning }, "a flag has no effect");

  const { kubeconfig, context } = processConfig;
  const client = await connect({
    userAgent: "plimsoll-autoscaler",
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  }).catch((error: unknown) => fail("cannot connect: check --kubeconfig and --context", error));
  if (client === undefined) return;

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registry.registerMetric(new Counter(lostLinesCounter(() => output.lost)));
  const tasks = createCalendarWorker(systemClock);
  const autoscaler = createAutoscaler(config, {
    runTask: tasks.run,
    client,
    clock: systemClock,
    log,
    registry,
    hostname: hostname(),
    identity: `${hostname()}_${randomUUID()}`,
  });

  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, "stopping");
    await autoscaler.stop();
    tasks.stop();
    await client.close();
    await output.flush();
    process.exit(0);
  };
  void stopSignal().then(stop);
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));

  const bound = await autoscaler
    .start()
    .catch((error: unknown) =>
      fail("cannot serve: check --bind-address, --port, --secure-port and the --tls files", error),
    );
  if (bound === undefined) return;
  log.info({ ...bound, server: client.server, manageHpas: config.manageHpas }, "serving");
}

/** The first address that other machines may reach. */
function machineAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;
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
  const reason = redact(messageOf(error));
  process.stderr.write(`autoscaler: ${withStartupCode(`${message}: ${reason}`)}\n`);
  process.exitCode = 1;
  return undefined;
}
