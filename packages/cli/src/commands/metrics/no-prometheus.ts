// Where a Prometheus may be, when none is named.
import { shellWord } from "@plimsoll/core/internal/values";
import type { Cluster } from "../../cluster/cluster.ts";
import { type Reader, services, type Wire } from "./reader.ts";

const defaultPort = 9090;

/** What is missing, and the next command. */
export async function noPrometheus(
  { namespace: here }: Cluster,
  reader: Reader,
  object: string | undefined,
): Promise<string> {
  const of = object === undefined ? "" : ` ${shellWord(object)}`;
  const again = `plimsoll metrics setup${of} -n ${here} --prometheus-url http://127.0.0.1:${defaultPort}`;
  const all = await reader.list(services, "everywhere");
  const found = (all ?? []).filter(({ metadata }) => metadata.name.includes("prometheus"));
  const [best] = found
    .flatMap((one) => {
      const port = portOf(one);
      return port === undefined ? [] : [{ ...one.metadata, port }];
    })
    // What belongs to it has longer names.
    .toSorted((a, b) => a.name.length - b.name.length);
  if (best === undefined) {
    const none = all === undefined ? "you can't list Services of other namespaces" : "no Service is one";
    return `no Prometheus is named, and ${none}: give its address, as in ${again}`;
  }
  const { name, namespace = here, port } = best;
  const ports = port === defaultPort ? port : `${defaultPort}:${port}`;
  return `no Prometheus is named: Service ${namespace}/${name} may be one. Run kubectl port-forward -n ${namespace} service/${name} ${ports}, then ${again}`;
}

/** The port that leads to Prometheus' own; Alertmanager, exporters, and the operator have others. */
function portOf({ spec }: Wire): number | undefined {
  return spec?.ports?.find(({ port, targetPort }) => port === defaultPort || targetPort === defaultPort)
    ?.port;
}
