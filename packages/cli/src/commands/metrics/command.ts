// The command `plimsoll metrics`.
import { Command } from "commander";
import { withCluster } from "../../cluster/cluster.ts";
import { prometheusOptions } from "../../cluster/connect.ts";
import { type ConnectionFlags, connectionOptions } from "../../cluster/flags.ts";
import type { CliSeams, ExitCode } from "../../seams.ts";
import { type SetupFlags, setUpMetrics } from "./setup.ts";

/** plimsoll metrics … */
export function metricsCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  const metrics = new Command("metrics").description("Finds metrics to scale a workload on.");
  const setup = metrics
    .command("setup")
    .description(
      "Finds the traffic or work of a workload in Prometheus, and prints rules, an autoscaler, and its first decision. Only reads. Exits with 2 when no metric has a value.",
    )
    .argument("[OBJECT]", "a Deployment, statefulset/NAME, ingress/NAME, or httproute/NAME")
    .option("--prometheus-url <URL>", "Prometheus that the metrics adapter queries")
    .option("--recipe <NAME>", "use this recipe of the book")
    .option("--yes", "ask nothing, and take the defaults")
    .option("--out <DIR>", "write the manifests to files in this folder")
    .addHelpText(
      "after",
      "\nIn a terminal it asks at most three questions. Elsewhere it takes the first choice and says so.",
    );
  for (const option of [...prometheusOptions(), ...connectionOptions()]) setup.addOption(option);
  setup.action(async (object: string | undefined, flags: SetupFlags & ConnectionFlags) => {
    done(await withCluster(flags, seams, (cluster) => setUpMetrics({ object, flags, cluster, seams })));
  });
  return metrics;
}
