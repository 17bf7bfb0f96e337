import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { kubeconfigText } from "@plimsoll/sandbox";
import { applyManifests, type ClusterStack, until } from "@plimsoll/testbed";
import { atomsOf, type Manifest, mayUse, type Right, type Rule, requestToken, ruleOf } from "./rights.ts";

/** Manifests of rights without one of their parts. */
export interface Ablation {
  readonly name: string;
  readonly objects: readonly Manifest[];
  /** A right that remains: when it has come, all have. */
  readonly remaining: Right | undefined;
}

/** One for each object, and of roles one for each verb and resource. */
export function ablationsOf(manifests: readonly Manifest[]): readonly Ablation[] {
  return manifests.flatMap((object) => ablationsOfOne(object, manifests));
}

/** A kubeconfig for a service account that has these rights and no other; undefined when it has no token. */
export async function kubeconfigWith(
  { objects, remaining }: Omit<Ablation, "name">,
  options: { readonly stack: ClusterStack; readonly folder: string; readonly index: number },
): Promise<string | undefined> {
  const { stack, index } = options;
  const account = `autoscaler-${index}`;
  await applyManifests(
    stack,
    objects.map((object) => named(object, index)),
  );
  const token = await requestToken(stack.client, "plimsoll", account).catch(() => undefined);
  if (token === undefined) return undefined;
  if (remaining !== undefined) {
    await until("the rights to have come", async () => {
      return (await mayUse(stack.client, account, remaining)) || undefined;
    });
  }
  const file = join(options.folder, `${account}.kubeconfig`);
  const { url: server, caPem } = stack.address;
  writeFileSync(file, kubeconfigText({ server, caPem, user: { token } }), { mode: 0o600 });
  return file;
}

function ablationsOfOne(object: Manifest, manifests: readonly Manifest[]): readonly Ablation[] {
  const title = `${object.kind} ${object.metadata.name}`;
  const others = manifests.filter((other) => other !== object);
  if (object.rules === undefined) {
    const remaining = object.kind === "ServiceAccount" ? undefined : lastRight(others);
    return [{ name: title, objects: others, remaining }];
  }
  const atoms = object.rules.flatMap(atomsOf);
  return atoms.map((atom) => {
    const objects = [...others, { ...object, rules: atoms.filter((one) => one !== atom).map(ruleOf) }];
    return { name: `${title}: ${atom.verb} ${nameOf(atom)}`, objects, remaining: lastRight(objects) };
  });
}

/** Metrics APIs have resources of the same names as the core's. */
function nameOf({ group, resource }: Right): string {
  return group.endsWith("metrics.k8s.io") ? `${resource}.${group}` : resource;
}

/** A right that one of the bindings gives. */
export function lastRight(objects: readonly Manifest[]): Right | undefined {
  for (const { roleRef, metadata } of objects) {
    const role = objects.find(
      ({ kind, metadata: of }) => kind === roleRef?.kind && of.name === roleRef?.name,
    );
    const right = role?.rules?.flatMap(atomsOf).at(-1);
    if (right === undefined) continue;
    return metadata.namespace === undefined ? right : { ...right, namespace: metadata.namespace };
  }
  return undefined;
}

/** The same object for the service account of one ablation. */
function named(object: Manifest, index: number): Manifest {
  const suffixed = (name: string) => `${name}-${index}`;
  return {
    ...object,
    metadata: { ...object.metadata, name: suffixed(object.metadata.name) },
    ...(object.rules === undefined ? {} : { rules: object.rules.map((rule) => withLease(rule, index)) }),
    ...(object.roleRef === undefined
      ? {}
      : {
          roleRef: {
            ...object.roleRef,
            name: isShipped(object.roleRef.name) ? suffixed(object.roleRef.name) : object.roleRef.name,
          },
        }),
    ...(object.subjects === undefined
      ? {}
      : { subjects: object.subjects.map((subject) => ({ ...subject, name: suffixed("autoscaler") })) }),
  };
}

/** Each process has a lease of its own. */
export function leaseOf(index: number): string {
  return `leader-${index}`;
}

function withLease(rule: Rule, index: number): Rule {
  // That of /metrics has neither names nor resources.
  const isLease = rule.resourceNames !== undefined && rule.resources.includes("leases");
  return isLease ? { ...rule, resourceNames: [leaseOf(index)] } : rule;
}

/** Other roles are those of the cluster. */
function isShipped(role: string): boolean {
  return role.startsWith("plimsoll-");
}
