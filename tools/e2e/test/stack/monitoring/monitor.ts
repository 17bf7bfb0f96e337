import { join } from "node:path";
import {
  ADAPTER_SERVER_NAME,
  type PlimsollProcess,
  type PrometheusServer,
  prometheusProgram,
  type Stack,
  startPrometheus,
} from "@plimsoll/testbed";

/** The jobs of a Prometheus that looks after Plimsoll, with the labels that discovery in a cluster gives. */
export const jobs = {
  adapter: "metrics-adapter",
  /** honor_labels: an object's namespace is in `namespace`. */
  honoring: "autoscaler",
  /** Prometheus's own default: it is in `exported_namespace`. */
  exporting: "autoscaler-exporting",
} as const;

/** A Prometheus beside the stack's own, which scrapes the processes as an operator's would. */
export async function startMonitor(
  stack: Stack,
  options: { readonly folder: string; readonly autoscaler: PlimsollProcess },
): Promise<PrometheusServer> {
  const target = (process: PlimsollProcess, component: string) => `
    static_configs:
      - targets: ["127.0.0.1:${process.port}"]
        labels: { namespace: plimsoll, pod: ${component}-0, service: ${component} }
`;
  return startPrometheus({
    binary: prometheusProgram(),
    folder: join(options.folder, "monitor"),
    scrapeIntervalMs: 1000,
    scrapeConfigs: `
  - job_name: ${jobs.adapter}
    scheme: https
    authorization: { credentials: "${stack.address.serviceAccountToken("monitoring", "prometheus")}" }
    tls_config: { ca_file: "${join(options.folder, "adapter", "ca.crt")}", server_name: ${ADAPTER_SERVER_NAME} }${target(stack.adapter, "metrics-adapter")}
  - job_name: ${jobs.honoring}
    honor_labels: true${target(options.autoscaler, "autoscaler")}
  - job_name: ${jobs.exporting}${target(options.autoscaler, "autoscaler")}
`,
  });
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** The series of an instant query whose value is a number. @throws with what Prometheus says against the query. */
export async function ask(prometheus: PrometheusServer, expr: string): Promise<readonly Series[]> {
  const { result } = await api<{ result: readonly Series[] }>(prometheus, "query", { query: expr });
  return result.filter(({ value: [, value] }) => value !== "NaN");
}

export function valuesOf(
  prometheus: PrometheusServer,
  label: string,
  match?: string,
): Promise<readonly string[]> {
  return api(prometheus, `label/${label}/values`, match === undefined ? {} : { "match[]": match });
}

async function api<T>(
  { url }: PrometheusServer,
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
): Promise<T> {
  const response = await fetch(`${url}/api/v1/${endpoint}?${new URLSearchParams(parameters).toString()}`);
  const answer = (await response.json()) as { status: string; error?: string; data: T };
  if (answer.status !== "success") throw new Error(`${answer.error}: ${JSON.stringify(parameters)}`);
  return answer.data;
}
