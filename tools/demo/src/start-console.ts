// The console of the demo: `plimsoll console` as a user runs it, with its address on the demo's own screen.
import { fileURLToPath } from "node:url";
import { type ChildOptions, type SandboxCluster, startChild } from "@plimsoll/testbed";

const cli = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));
const addressPattern = /http:\/\/127\.0\.0\.1:\d+\/console\/\S*/;

export interface DemoConsole {
  /** For the next browser: each address is good for one. */
  readonly address: () => string;
  stop(): Promise<void>;
}

/** It opens no browser. `onNext` gets the address for another browser when one was used. */
export async function startConsole(
  { kubeconfig, prometheusUrl }: Pick<SandboxCluster, "kubeconfig"> & { readonly prometheusUrl: string },
  { onSpawn, onNext }: Pick<ChildOptions, "onSpawn"> & { readonly onNext: (address: string) => void },
): Promise<DemoConsole> {
  let address = "";
  const flags = [
    "--no-open",
    "--idle=0",
    "-A",
    `--kubeconfig=${kubeconfig}`,
    `--prometheus-url=${prometheusUrl}`,
  ];
  const child = await startChild({
    name: "console",
    command: process.execPath,
    args: ["--conditions=@plimsoll/source", cli, "console", ...flags],
    onSpawn,
    ready(line) {
      const shown = addressPattern.exec(line)?.[0];
      if (shown !== undefined && address !== "") onNext(shown);
      address = shown ?? address;
      return address !== "";
    },
  });
  return { address: () => address, stop: () => child.stop() };
}
