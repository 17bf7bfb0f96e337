import { type KubeClient, type KubeObject, reviewAccess } from "@plimsoll/kube";

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A ServiceAccount, a role or a binding. */
export type Manifest = KubeObject & {
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly object[];
};

/** The smallest part of a role. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
  readonly namespace?: string;
}

export function atomsOf(rule: Rule): readonly Right[] {
  const [name] = rule.resourceNames ?? [];
  return rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.map((verb) => ({ group, resource, verb, ...(name === undefined ? {} : { name }) })),
    ),
  );
}

export function ruleOf({ group, resource, verb, name }: Right): Rule {
  const resourceNames = name === undefined ? {} : { resourceNames: [name] };
  return { apiGroups: [group], resources: [resource], verbs: [verb], ...resourceNames };
}

/** Whether a service account of namespace plimsoll has a right; a right without a namespace is one to all of them. */
export async function mayUse(client: KubeClient, account: string, right: Right): Promise<boolean> {
  const { group, resource: whole, verb, name, namespace } = right;
  const [resource = "", subresource] = whole.split("/");
  const { allowed } = await reviewAccess(client, {
    user: `system:serviceaccount:plimsoll:${account}`,
    groups: ["system:serviceaccounts", "system:serviceaccounts:plimsoll", "system:authenticated"],
    resourceAttributes: {
      group,
      resource,
      verb,
      ...(subresource === undefined ? {} : { subresource }),
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
    },
  });
  return allowed;
}

/** A token of a service account, good for an hour. */
export async function requestToken(client: KubeClient, namespace: string, name: string): Promise<string> {
  const { status } = await client.request<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  return status.token;
}
