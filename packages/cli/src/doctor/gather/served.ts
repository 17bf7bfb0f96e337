// The names that the custom and external metrics APIs serve.
import { at, type Fields, known, listOf, type Reading, textOf } from "@plimsoll/doctor";
import { isNotFound } from "@plimsoll/kube";
import type { Cluster } from "../../cluster/cluster.ts";
import { unreadable } from "./lists.ts";

export async function readServedNames(
  cluster: Cluster,
  group: "custom.metrics.k8s.io" | "external.metrics.k8s.io",
): Promise<Reading<readonly string[]>> {
  try {
    const [version] = await cluster.mapper.groupVersions(group);
    if (version === undefined) return known([]);
    const list = await cluster.client.request<Fields>({ path: `/apis/${group}/${version}` });
    return known(listOf(at(list, "resources")).map(({ name }) => textOf(name)));
  } catch (error) {
    return isNotFound(error) ? known([]) : unreadable(cluster, error, `list the metrics of ${group}`);
  }
}
