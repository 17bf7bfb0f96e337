// The rights of the adapter without each of their parts, and what stops working then.
import type { KubeClient } from "@plimsoll/kube";
import { atomsOf, type Manifest, type Right, ruleOf } from "./rights.ts";

/** The manifest without one of its parts. */
export interface Ablation {
  readonly name: string;
  readonly of: Manifest;
  /** What stands in its place; undefined deletes it. */
  readonly instead: Manifest | undefined;
  /** A right that goes with it; undefined: no token of the account is good any more. */
  readonly lost: ((client: KubeClient) => Promise<Right>) | undefined;
}

/** A metric of each kind, by the names of the probes. */
const allMetrics = [
  "pods of a custom metric",
  "an Ingress of a custom metric",
  "external metric",
  "usage of pods",
  "usage of nodes",
] as const;

/**
 * What stops working without each part, by the names of the probes. A part that is not in here, or without which
 * nothing stops, is one that the adapter must not be granted.
 */
export const consequences: Readonly<Record<string, readonly string[]>> = {
  // It does not learn which resources there are to follow then.
  "ServiceAccount metrics-adapter": [
    "readyz",
    ...allMetrics,
    "a caller with a token",
    "a caller with a certificate",
  ],
  "ClusterRole plimsoll-metrics-adapter: list nodes": ["usage of nodes", "follows nodes"],
  "ClusterRole plimsoll-metrics-adapter: watch nodes": ["follows nodes"],
  "ClusterRole plimsoll-metrics-adapter: list pods": [
    "pods of a custom metric",
    "usage of pods",
    "follows pods",
  ],
  "ClusterRole plimsoll-metrics-adapter: watch pods": ["follows pods"],
  "ClusterRoleBinding plimsoll-metrics-adapter": [
    "pods of a custom metric",
    "usage of pods",
    "usage of nodes",
    "follows pods",
    "follows nodes",
  ],
  "ClusterRoleBinding plimsoll-metrics-adapter-auth-delegator": [
    "a caller with a token",
    "a caller with a certificate",
  ],
  // Metrics go by the certificate of an administrator here, which nothing can check then.
  "RoleBinding plimsoll-metrics-adapter-auth-reader": [
    "readyz",
    ...allMetrics,
    "a caller with a certificate",
  ],
};

export function ablationsOf(object: Manifest): readonly Ablation[] {
  const title = `${object.kind} ${object.metadata.name}`;
  const { namespace } = object.metadata;
  const inNamespace = namespace === undefined ? {} : { namespace };
  if (object.rules !== undefined) {
    const atoms = object.rules.flatMap(atomsOf);
    return atoms.map((atom) => ({
      name: `${title}: ${atom.verb} ${atom.resource}`,
      of: object,
      instead: { ...object, rules: atoms.filter((other) => other !== atom).map(ruleOf) },
      lost: async () => ({ ...atom, ...inNamespace }),
    }));
  }
  const { roleRef } = object;
  if (roleRef === undefined) return [{ name: title, of: object, instead: undefined, lost: undefined }];
  const lost = async (client: KubeClient): Promise<Right> => {
    const role = await client.request<Manifest>({ path: pathOf(roleRef.kind, namespace, roleRef.name) });
    const [first] = (role.rules ?? []).flatMap(atomsOf);
    if (first === undefined) throw new Error(`${roleRef.name} grants nothing`);
    return { ...first, ...inNamespace };
  };
  return [{ name: title, of: object, instead: undefined, lost }];
}

export function pathOf(kind: string, namespace: string | undefined, name: string): string {
  const base = kind === "ServiceAccount" ? "/api/v1" : "/apis/rbac.authorization.k8s.io/v1";
  const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${base}${within}/${kind.toLowerCase()}s/${name}`;
}
