// A cluster's resources, over a fixed list.
import type { ClusterResource, ResourceMapper } from "../src/naming/cluster-resource.ts";
import { groupResourceOf } from "../src/naming/resource-labels.ts";

interface FakeResource extends ClusterResource {
  readonly shortName: string | undefined;
}

function resource(singular: string, group = "", shortName?: string): FakeResource {
  const plural = singular.endsWith("s") ? `${singular}es` : `${singular}s`;
  const namespaced = !["namespace", "node", "brand"].includes(singular);
  return { group, version: "v1", resource: plural, singular, kind: singular, namespaced, shortName };
}

const known: readonly FakeResource[] = [
  resource("pod", "", "po"),
  resource("namespace", "", "ns"),
  resource("node", "", "no"),
  resource("service", "", "svc"),
  resource("deployment", "apps"),
  resource("ingress", "networking.k8s.io"),
  resource("brand", "cheese.io"),
];

export const fakeMapper: ResourceMapper = {
  async byResource(text) {
    const [name = "", ...group] = text.toLowerCase().split(".");
    return known.find(
      (one) =>
        [one.resource, one.singular, one.shortName].includes(name) &&
        (group.length === 0 || one.group === group.join(".")),
    );
  },
};

export function infoOf(groupResource: string): ClusterResource {
  const found = known.find((one) => groupResourceOf(one) === groupResource);
  if (found === undefined) throw new Error(`no ${groupResource}`);
  return found;
}
