// The metrics APIs as the aggregation layer of the API server lists them and refuses them.
import type { ForeignGroupVersion } from "@plimsoll/sandbox";
import type { ServerResponse } from "../network/server.ts";

const groupVersions = [
  { group: "metrics.k8s.io", version: "v1beta1" },
  { group: "custom.metrics.k8s.io", version: "v1beta2" },
  { group: "custom.metrics.k8s.io", version: "v1beta1" },
  { group: "external.metrics.k8s.io", version: "v1beta1" },
];

const paths = groupVersions.map(({ group, version }) => `/apis/${group}/${version}`);

/** Whether the API server passes a request for this path on. */
export function isMetricsRequest(path: string): boolean {
  return paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

const served = withFreshness("Current");
const unserved = withFreshness("Stale");

/** For discovery: what a server lists changes with its metrics, so it is not repeated here. */
export function metricsGroupVersions(isServed: boolean): readonly ForeignGroupVersion[] {
  return isServed ? served : unserved;
}

function withFreshness(freshness: string): readonly ForeignGroupVersion[] {
  return groupVersions.map(({ group, version }) => ({
    group,
    version,
    document: { version, resources: [], freshness },
  }));
}

const message = "the server is currently unable to handle the request";

export const metricsUnavailable: ServerResponse = {
  code: 503,
  body: `${JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "ServiceUnavailable",
    code: 503,
  })}\n`,
};
