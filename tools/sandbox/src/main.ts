// The command sandbox: an API server for kubectl, until it is ended.
import { parseArgs } from "node:util";
import { messageOf, systemClock } from "@plimsoll/component-base";
import { fileErrorText, flagSuggestion, packageVersion, replaceFile } from "@plimsoll/component-base/process";
import { parseGoDuration } from "@plimsoll/core/duration";
import { createExporter, type Exporter } from "./load/exporter.ts";
import { createLoadModel } from "./load/load-model.ts";
import { createSandbox } from "./sandbox.ts";
import type { VersionedStore } from "./storage/object-store.ts";

const usage = `usage: sandbox [--port NUMBER] [--kubeconfig FILE] [--ready-delay DURATION] [--metrics-port NUMBER]

An in-memory Kubernetes API server on 127.0.0.1 with simulated workloads. Pods run no process: they have no logs, and
exec, attach and port-forward are not served. Fields that a kind does not have are refused, warned about or dropped, as
fieldValidation says; in built-in kinds the types of their values are not checked, and kubectl explain shows fields
without descriptions.

The kubeconfig is an administrator's. Roles and bindings decide what others may do: try them with kubectl --as, or with a
token of kubectl create token.

  --port NUMBER           0, the default, takes a free one
  --kubeconfig FILE       where to write an administrator's kubeconfig
  --ready-delay DURATION  how long a running pod takes to become ready, 1s by default
  --metrics-port NUMBER   serve a page of metrics for all pods with the address 127.0.0.1: the packets of Deployments with
                          the annotation sandbox.plimsoll.dev/packets-per-second, divided by their ready pods
  --help                  this text
  --version               the version`;

interface Options {
  readonly port: number;
  readonly kubeconfig: string | undefined;
  readonly readyDelayMs: number;
  readonly metricsPort: number | undefined;
}

function readOptions(args: readonly string[]): Options | "help" | "version" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      kubeconfig: { type: "string" },
      "metrics-port": { type: "string" },
      "ready-delay": { type: "string", default: "1s" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean" },
    },
  });
  if (values.help) return "help";
  if (values.version) return "version";
  const port = portOf("port", values.port);
  const metricsPort = values["metrics-port"] && portOf("metrics-port", values["metrics-port"]);
  const readyDelayMs = parseGoDuration(values["ready-delay"]);
  if (readyDelayMs === undefined) throw new Error(`--ready-delay: not a duration: ${values["ready-delay"]}`);
  return { port, kubeconfig: values.kubeconfig, readyDelayMs, metricsPort: metricsPort || undefined };
}

function portOf(flag: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--${flag}: not a port: ${text}`);
}

async function run(given: Options): Promise<void> {
  const sandbox = createSandbox({
    port: given.port,
    rbac: true,
    workloads: { readyDelayMs: given.readyDelayMs },
  });
  const address = await sandbox.start();
  if (given.kubeconfig !== undefined) {
    try {
      await replaceFile(given.kubeconfig, address.kubeconfig, 0o600);
    } catch (error) {
      await sandbox.stop();
      const why = fileErrorText(error, given.kubeconfig);
      throw new Error(`--kubeconfig: cannot write ${given.kubeconfig}: ${why}`, { cause: error });
    }
  }
  const page =
    given.metricsPort === undefined ? undefined : await servePage(sandbox.store, given.metricsPort);
  // Whoever reads that it serves may end it at once.
  const stop = (): void => {
    Promise.all([sandbox.stop(), page?.stop()]).catch((error: unknown) => fail(error));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const place = given.kubeconfig === undefined ? {} : { kubeconfig: given.kubeconfig };
  console.log(JSON.stringify({ msg: "serving", address: "127.0.0.1", port: address.port, ...place }));
}

const loadAnnotation = "sandbox.plimsoll.dev/packets-per-second";

/** The page of pods at 127.0.0.1. */
async function servePage(store: VersionedStore, port: number): Promise<Exporter> {
  const clock = systemClock;
  const load = createLoadModel({ clock, store });
  load.start();
  store.subscribe(({ resource, object: { metadata } }) => {
    const value = Number(metadata.annotations?.[loadAnnotation]);
    if (resource !== "deployments.apps" || !(value >= 0 && value < Infinity)) return;
    const { namespace = "", name } = metadata;
    load.play([{ namespace, kind: "Deployment", name, metric: "packets", points: [{ atMs: 0, value }] }]);
  });
  const exporter = createExporter({ model: { collect: load.page }, clock, port });
  await exporter.start();
  return exporter;
}

function fail(error: unknown): void {
  console.error(messageOf(error));
  process.exitCode = 1;
}

/** Suggests the flag that was meant for "Unknown option '--prot'.". */
function hint(error: unknown): string {
  const [, flag] = /^Unknown option '(--[^']+)'/.exec(error instanceof Error ? error.message : "") ?? [];
  const known = ["port", "kubeconfig", "ready-delay", "metrics-port"];
  return flag === undefined ? "" : flagSuggestion(flag, known).replace(/^; /, "");
}

let options: Options | "help" | "version" | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  fail(error);
  const meant = hint(error);
  if (meant !== "") console.error(meant);
  console.error(usage);
}
if (options === "help") console.log(usage);
else if (options === "version") console.log(await packageVersion(import.meta.url));
else if (options !== undefined) run(options).catch(fail);
