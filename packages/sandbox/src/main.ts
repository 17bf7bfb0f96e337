import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createSandbox } from "./sandbox.ts";
import { parseGoDuration } from "./workloads/go-duration.ts";

const usage = `usage: sandbox [--port NUMBER] [--kubeconfig FILE] [--ready-delay DURATION]

An in-memory Kubernetes API server on 127.0.0.1 with simulated workloads.

  --port NUMBER           0, the default, takes a free one
  --kubeconfig FILE       where to write an administrator's kubeconfig
  --ready-delay DURATION  how long a running pod takes to become ready, 1s by default
  --help                  this text`;

interface Options {
  readonly port: number;
  readonly kubeconfig: string | undefined;
  readonly readyDelayMs: number;
}

function readOptions(args: readonly string[]): Options | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      kubeconfig: { type: "string" },
      "ready-delay": { type: "string", default: "1s" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port: not a port: ${values.port}`);
  const readyDelayMs = parseGoDuration(values["ready-delay"]);
  if (readyDelayMs === undefined) throw new Error(`--ready-delay: not a duration: ${values["ready-delay"]}`);
  return { port, kubeconfig: values.kubeconfig, readyDelayMs };
}

async function run(o: Options): Promise<void> {
  const sandbox = createSandbox({ port: o.port, workloads: { readyDelayMs: o.readyDelayMs } });
  const address = await sandbox.start();
  if (o.kubeconfig !== undefined) await writeFile(o.kubeconfig, address.kubeconfig, { mode: 0o600 });
  const place = o.kubeconfig === undefined ? {} : { kubeconfig: o.kubeconfig };
  console.log(JSON.stringify({ msg: "serving", address: "127.0.0.1", port: address.port, ...place }));
  const stop = (): void => {
    sandbox.stop().catch((error: unknown) => fail(error));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

let options: Options | "help" | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  fail(error);
  console.error(usage);
  process.exitCode = 2;
}
if (options === "help") console.log(usage);
else if (options !== undefined) run(options).catch(fail);
