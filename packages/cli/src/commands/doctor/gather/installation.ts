// What of Plimsoll is installed in the cluster.
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { at, type Installation, known, listOf, nameOf, type Reading } from "@plimsoll/doctor";
import { isNotFound } from "@plimsoll/kube";
import type { Cluster } from "../../../cluster/cluster.ts";
import { unreadable } from "./lists.ts";

const leaseName = "plimsoll-autoscaler";

/** Fields of the specification that this program writes about and reads. */
const specFields = [
  "scaleTargetRef",
  "minReplicas",
  "maxReplicas",
  "metrics",
  "behavior",
  "mode",
  "pause",
  "tuning",
  "schedules",
];

/** Undefined where nothing of it is installed. */
export async function readInstallation(
  cluster: Cluster,
  newestDecision: () => Promise<Installation["newestDecision"]>,
): Promise<Reading<Installation | undefined>> {
  const wlas = await cluster.mapper.byResource("workloadautoscalers.autoscaling.plimsoll.dev");
  const leases = await readLeases(cluster);
  if (!leases.ok) return leases;
  if (wlas === undefined && leases.value.length === 0) return known(undefined);
  const missingFields = wlas === undefined ? known([]) : await readMissingFields(cluster);
  if (!missingFields.ok) return missingFields;
  return known({
    leases: leases.value,
    missingFields: missingFields.value,
    newestDecision: await newestDecision(),
  });
}

async function readLeases(cluster: Cluster): Promise<Reading<readonly Fields[]>> {
  try {
    const path = "/apis/coordination.k8s.io/v1/leases";
    const query = { fieldSelector: `metadata.name=${leaseName}` };
    const list = await cluster.client.request<Fields>({ path, query });
    return known(listOf(at(list, "items")).filter((lease) => nameOf(lease) === leaseName));
  } catch (error) {
    return unreadable(cluster, error, "list leases");
  }
}

async function readMissingFields(cluster: Cluster): Promise<Reading<readonly string[]>> {
  try {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${wlaDefinition}`;
    const { spec } = await cluster.client.request<Fields>({ path });
    const version = listOf(at(spec, "versions")).find(({ served }) => served === true);
    const properties = at(version, "schema", "openAPIV3Schema", "properties", "spec", "properties");
    return known(
      specFields.filter((field) => !(field in fieldsOf(properties))).map((field) => `spec.${field}`),
    );
  } catch (error) {
    return isNotFound(error) ? known([]) : unreadable(cluster, error, "get customresourcedefinitions");
  }
}
