// The command `plimsoll console`.
import type { Command } from "commander";
import { withCluster } from "../cluster/cluster.ts";
import { checkScope, clusterCommand } from "../cluster/flags.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import type { ConsoleFlags } from "./flags.ts";
import { serveConsole } from "./run.ts";

/** plimsoll console */
export function consoleCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return clusterCommand({
    name: "console",
    description:
      "Opens a web page about the autoscalers of a cluster, served by this program to this machine only, with the rights of your kubeconfig. Nothing is written to the cluster.",
    outputs: ["table"],
  })
    .option("--port <PORT>", "port of 127.0.0.1; 0 is any that is free", "0")
    .option("--no-open", "write the address, and open no browser")
    .option("--idle <DURATION>", "end when no page was open for so long; 0 never", "30m")
    .option("--prometheus-url <URL>", "Prometheus with the history of autoscalers, read by this program")
    .action(async (flags: ConsoleFlags) => {
      checkScope(flags, []);
      done(await withCluster(flags, seams, (cluster) => serveConsole(cluster, flags, seams)));
    });
}
