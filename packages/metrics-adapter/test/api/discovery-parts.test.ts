// Discovery of many metrics, whose documents are written in parts.
import { createHash } from "node:crypto";
import type { MetricInfo } from "@plimsoll/rules";
import { expect, test } from "vitest";
import { createAggregatedDiscovery } from "../../src/api/discovery/aggregated.ts";
import { resourceListBody, servedGroupVersions } from "../../src/api/discovery/resources.ts";

const kind = "MetricValueList";
const group = "custom.metrics.k8s.io";
const conversion = { kind: "APIGroupDiscoveryList", group: "apidiscovery.k8s.io", version: "v2" };

function served(metrics: readonly string[]) {
  const infos = metrics.flatMap((metric): readonly MetricInfo[] => [
    { groupResource: "pods", metric, namespaced: true },
    { groupResource: "namespaces", metric, namespaced: false },
    { groupResource: "pods", metric, namespaced: true },
  ]);
  const custom = { list: () => infos, get: () => Promise.reject(new Error("is not asked")) };
  return servedGroupVersions({ custom, external: undefined, resource: undefined });
}

const many = Array.from({ length: 20_000 }, (_, at) => `metric_${at}`).sort();

test.each([["some", ["a.b", "größe", 'quotes "', "z"]] as const, ["many", many] as const])(
  "the list and the aggregated document have each of %s names once, in order",
  async (_, names) => {
    const versions = served([...names].reverse());
    const rows = (prefix: string, namespaced: boolean) =>
      names.map((name) => ({ name: prefix + name, singularName: "", namespaced, kind, verbs: ["get"] }));
    const [v1beta2] = versions;
    if (v1beta2 === undefined) throw new Error("nothing is served");
    const resources = [...rows("namespaces/", false), ...rows("pods/", true)];
    const list = { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/v1beta2`, resources };
    const written = await resourceListBody(v1beta2, v1beta2.resources());
    expect(written.toString()).toBe(`${JSON.stringify(list)}\n`);

    const { body, etag } = await createAggregatedDiscovery(versions)(conversion);
    expect(etag).toBe(`"${createHash("sha256").update(body).digest("hex").toUpperCase()}"`);
    const nested = (resource: string, scope: string, version: string) => ({
      resource,
      responseKind: { group: "", version: "", kind: "" },
      scope,
      singularResource: "",
      verbs: [],
      subresources: names.map((subresource) => ({
        subresource,
        responseKind: { group, version, kind },
        verbs: ["get"],
      })),
    });
    const versionOf = (version: string) => ({
      version,
      resources: [nested("namespaces", "Cluster", version), nested("pods", "Namespaced", version)],
      freshness: "Current",
    });
    const metadata = { name: group, creationTimestamp: null };
    expect(JSON.parse(body.toString())).toEqual({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
      items: [{ metadata, versions: [versionOf("v1beta2"), versionOf("v1beta1")] }],
    });
  },
);

test("other requests have their turn while long documents are written, once for all who ask", async () => {
  const versions = served(many);
  const aggregated = createAggregatedDiscovery(versions);
  let turns = 0;
  let isWritten = false;
  const turn = (): void => {
    turns += 1;
    if (!isWritten) setImmediate(turn);
  };
  setImmediate(turn);
  const [first, second] = await Promise.all([aggregated(conversion), aggregated(conversion)]);
  isWritten = true;
  // At most 256 KiB of its 11 MiB in one.
  expect(turns).toBeGreaterThan(40);
  expect(first.body).toBe(second.body);
});
