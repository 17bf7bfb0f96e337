// The command `plimsoll console`.
import type { Command } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { checkScope, clusterCommand } from "../../cluster/flags.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import type { ConsoleFlags } from "./flags.ts";
import { serveConsole } from "./run.ts";

/** plimsoll console */
export function consoleCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return clusterCommand({
    name: "console",
    description:
      "Opens a web page about the autoscalers of a cluster. This program serves it to this machine only, with the rights of your kubeconfig. Writes nothing to the cluster.",
    outputs: ["table"],
  })
    .option("--port <PORT>", "port on 127.0.0.1; 0 picks a free one", "0")
    .option("--no-open", "print the address, don't open a browser")
    .option("--idle <DURATION>", "exit after this time without an open page; 0 disables", "30m")
    .option(
      "--prometheus-url <URL>",
      "Prometheus with the history of autoscalers; only this program reads it",
    )
    .action(async (flags: ConsoleFlags) => {
      checkScope(flags);
      done(await withCluster(flags, seams, (cluster) => serveConsole(cluster, flags, seams)));
    });
}
