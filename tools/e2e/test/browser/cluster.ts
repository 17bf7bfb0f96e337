// The demo's objects at rest, with both servers of the page: `plimsoll console` and /console/ of the autoscaler.
import { readFileSync } from "node:fs";
import {
  createScenario,
  keptLoads,
  startConsole,
  startDemoAutoscaler,
  startOtherController,
} from "@plimsoll/demo";
import { type Stack, startWhole, until } from "@plimsoll/testbed";
import { parse } from "yaml";
import { example, local, temporaryStack } from "../fixture.ts";

export interface Servers {
  /** The address that the command writes for the next browser. */
  readonly printed: () => string;
  /** The page of the autoscaler. */
  readonly served: string;
  /** Of a service account that may read all. */
  readonly token: string;
  stop(): Promise<void>;
}

/** Where the autoscaler finds the page; the suite builds it first. */
const dist = local("../../../packages/console/dist");
const definition = local("../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml");

export async function startServers(): Promise<Servers> {
  const { stack, folder, stop } = await temporaryStack({
    rules: example("rules.yaml"),
    loads: keptLoads(createScenario("fast")),
    isObserved: true,
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s"],
  });
  return startWhole(async (stops) => {
    stops.push(stop);
    for (const file of [definition, example("schedule.yaml"), example("shadow.yaml")])
      await stack.apply(file);
    const speed = "fast";
    const autoscaler = await startDemoAutoscaler(stack, {
      folder,
      speed,
      args: [`--console-directory=${dist}`],
    });
    stops.push(() => autoscaler.stop());
    stack.scrapeAutoscaler(autoscaler.port);
    const other = await startOtherController(stack, { speed });
    stops.push(() => other.stop());
    const printed = await startConsole(
      { kubeconfig: stack.kubeconfig, prometheusUrl: stack.prometheus.url },
      { onSpawn: undefined, onNext: () => {} },
    );
    stops.push(() => printed.stop());
    await stack.apply(example("autoscalers.yaml"));
    await until("worker to be at its maximum", () => replicasOf(stack, "worker") === 10 || undefined);
    return {
      printed: printed.address,
      served: `https://127.0.0.1:${autoscaler.securePort}/console/`,
      token: tokenOf(stack.kubeconfigFor("reader")),
    };
  });
}

function replicasOf({ store }: Stack, name: string): number | undefined {
  const deployment = store.get("deployments.apps", "default", name) as
    | { readonly status?: { readonly readyReplicas?: number } }
    | undefined;
  return deployment?.status?.readyReplicas;
}

function tokenOf(kubeconfig: string): string {
  const { users } = parse(readFileSync(kubeconfig, "utf8")) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  return users[0]?.user.token ?? "";
}
