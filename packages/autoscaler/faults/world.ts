import { readFile, writeFile } from "node:fs/promises";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished } from "vitest";
import { type FakeApi, startFakeApi } from "../test/fake-api.ts";
import { deployment, hpa } from "../test/harness.ts";
import { type Run, runWith } from "../test/process.ts";

const pathOf = (name: string) => `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/${name}`;

/** The load that an object's metric shows; the target is 10 for each replica. */
export function setLoad(api: FakeApi, name: string, value: number): void {
  const items = [{ metricName: name, value: String(value), timestamp: new Date().toISOString() }];
  api.metrics.set(pathOf(name), { kind: "ExternalMetricValueList", items });
}

/** An object of three replicas whose load asks for as many. */
export function addObject(api: FakeApi, name: string): void {
  const target = { type: "AverageValue", averageValue: "10" };
  const metrics = [{ type: "External", external: { metric: { name }, target } }];
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  api.put("deployments", deployment(name, 3));
  setLoad(api, name, 30);
  api.put("horizontalpodautoscalers", hpa(name, { spec: { maxReplicas: 100, metrics, behavior } }));
}

export function asked(api: FakeApi, name: string): number {
  const path = pathOf(name);
  return api.requests.filter((request) => request.path === path).length;
}

export interface World {
  readonly api: FakeApi;
  readonly process: Run;
  readonly port: number;
}

/** A real process with a period of a second and its objects, evaluated once. */
export async function startWorld(
  names: readonly string[],
  how: Parameters<typeof runWith>[0] & {
    readonly flags?: readonly string[];
    /** What the process takes for the API server's address. */
    readonly server?: (real: string) => string;
  } = {},
  prepare: (api: FakeApi) => void = () => {},
): Promise<World> {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  for (const name of names) addObject(api, name);
  prepare(api);
  if (how.server !== undefined) {
    const text = await readFile(api.kubeconfig, "utf8");
    await writeFile(api.kubeconfig, text.replace(api.url, how.server(api.url)));
  }
  const process = runWith(how, [
    `--kubeconfig=${api.kubeconfig}`,
    "--port=0",
    "--manage-hpas=all",
    "--watch-scale-targets=false",
    "--horizontal-pod-autoscaler-sync-period=1s",
    ...(how.flags ?? ["--leader-elect=false"]),
  ]);
  await eventually(() => {
    for (const name of names) expect([name, asked(api, name)]).not.toEqual([name, 0]);
  });
  const serving = process.lines().find(({ msg }) => msg === "serving");
  return { api, process, port: Number(serving?.["port"]) };
}
