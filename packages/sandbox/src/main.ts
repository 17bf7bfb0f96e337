import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createSandbox } from "./sandbox.ts";
import { parseGoDuration } from "./workloads/go-duration.ts";

const usage = "usage: sandbox [--port NUMBER] [--kubeconfig FILE] [--ready-delay DURATION, for example 2s]";

interface Options {
  readonly port: number;
  readonly kubeconfig: string | undefined;
  readonly readyDelayMs: number;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "0" },
      kubeconfig: { type: "string" },
      "ready-delay": { type: "string", default: "1s" },
    },
  });
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

let options: Options | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  fail(error);
  console.error(usage);
  process.exitCode = 2;
}
if (options !== undefined) run(options).catch(fail);
