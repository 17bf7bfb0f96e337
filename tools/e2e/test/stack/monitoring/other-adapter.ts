// Another adapter with one metric, to which ours hands requests on.
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { generateServingCertificate } from "@plimsoll/kube/serving";

export interface OtherAdapter {
  /** For ours, which then knows it by the name `other`. */
  readonly flag: string;
  stop(): Promise<void>;
}

const group = "external.metrics.k8s.io";
const metric = "other_adapter_lag";
const resources = [
  { name: metric, singularName: "", namespaced: true, kind: "ExternalMetricValueList", verbs: ["get"] },
];
const items = [{ metricName: metric, metricLabels: {}, timestamp: "2026-01-01T00:00:00Z", value: "1" }];

/** @param folder for its files */
export async function startOtherAdapter(folder: string): Promise<OtherAdapter> {
  const { certPem: cert, keyPem: key, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const server = createServer({ cert, key }, (request, response) => {
    const path = request.url ?? "";
    const body = path.endsWith(`/${metric}`)
      ? { kind: "ExternalMetricValueList", apiVersion: `${group}/v1beta1`, metadata: {}, items }
      : { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/v1beta1`, resources };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const backend = {
    name: "other",
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundleFile: file("other-ca.crt", caPem),
    tokenFile: file("other-token", "a-token"),
    groups: [group],
  };
  return {
    flag: `--federation-config=${file("backends.yaml", JSON.stringify({ backends: [backend] }))}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
