// Evaluates roles and bindings as the API server's RBAC authorizer does.
import { notFound, type StatusError } from "../errors/status-error.ts";
import { type JsonRecord, recordsAt, stringAt } from "../storage/json-value.ts";
import type { VersionedStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { AccessAttributes, AccessDecision } from "./access.ts";
import { type PolicyRule, ruleAllows, rulesIn } from "./policy-rule.ts";
import type { UserInfo } from "./user.ts";

export const rbacGroup = "rbac.authorization.k8s.io";
const stored = (resource: string): string => `${resource}.${rbacGroup}`;
export const clusterRoles = stored("clusterroles");
export const clusterRoleBindings = stored("clusterrolebindings");
const roleBindings = stored("rolebindings");

/** What a binding refers to. */
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** Rules of a user, and why some of them are not known. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

/** The roles and bindings of a cluster. */
export interface Rbac {
  authorize(attributes: AccessAttributes): AccessDecision;
  /** Those of the cluster, and those of a namespace where it isn't "". */
  rulesOf(user: UserInfo, namespace: string): UserRules;
  /** @throws StatusError with code 404 */
  rulesOfRole(role: RoleRef, namespace: string): readonly PolicyRule[];
}

/** Reads the store at each call: its cost is that of one pass over the bindings that the request can use. */
export function createRbac(store: Pick<VersionedStore, "get" | "list">): Rbac {
  const find = ({ kind, name }: RoleRef, namespace: string): StoredObject | undefined =>
    kind === "ClusterRole"
      ? store.get(clusterRoles, undefined, name)
      : store.get(stored("roles"), namespace, name);
  function* visit(user: UserInfo, namespace: string): Generator<Visited> {
    for (const binding of store.list(clusterRoleBindings)) yield* granted(binding, user, "");
    if (namespace === "") return;
    for (const binding of store.list(roleBindings, namespace)) yield* granted(binding, user, namespace);
  }
  function* granted(binding: StoredObject, user: UserInfo, namespace: string): Generator<Visited> {
    const subject = recordsAt(binding, "subjects").find((one) => appliesTo(one, user, namespace));
    if (subject === undefined) return;
    const role = roleRefOf(binding);
    const by = (): string => describe(binding, { role, subject, namespace });
    const found = find(role, namespace);
    if (found === undefined) yield { by, rules: [], error: noRole(role).message };
    else yield { by, rules: rulesIn(found) };
  }
  return {
    rulesOfRole(role, namespace) {
      const found = find(role, namespace);
      if (found === undefined) throw noRole(role);
      return rulesIn(found);
    },
    authorize(attributes) {
      const errors: string[] = [];
      for (const { rules, by, error } of visit(attributes.user, attributes.resource?.namespace ?? "")) {
        if (error !== undefined) errors.push(error);
        if (rules.some((rule) => ruleAllows(rule, attributes)))
          return { allowed: true, reason: `RBAC: allowed by ${by()}` };
      }
      return errors.length === 0
        ? { allowed: false }
        : { allowed: false, reason: `rbac: RBAC: ${joined(errors)}` };
    },
    rulesOf(user, namespace) {
      const visited = [...visit(user, namespace)];
      return {
        rules: visited.flatMap(({ rules }) => rules),
        errors: visited.flatMap(({ error }) => error ?? []),
      };
    },
  };
}

interface Visited {
  readonly rules: readonly PolicyRule[];
  /** In the API server's words. */
  readonly by: () => string;
  readonly error?: string;
}

export function roleRefOf(binding: unknown): RoleRef {
  return {
    kind: stringAt(binding, "roleRef", "kind") ?? "",
    name: stringAt(binding, "roleRef", "name") ?? "",
  };
}

/** The API server names the kind here, and not the resource. */
function noRole({ kind, name }: RoleRef): StatusError {
  return notFound({ group: rbacGroup, resource: kind.toLowerCase() }, name);
}

/** @upstream kubernetes/pkg/registry/rbac/validation/rule.go#appliesToUser */
function appliesTo(subject: JsonRecord, user: UserInfo, bindingNamespace: string): boolean {
  const name = stringAt(subject, "name") ?? "";
  switch (subject["kind"]) {
    case "User":
      return user.username === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount": {
      const namespace = (stringAt(subject, "namespace") ?? "") || bindingNamespace;
      return namespace !== "" && user.username === `system:serviceaccount:${namespace}:${name}`;
    }
    default:
      return false;
  }
}

interface Granted {
  readonly role: RoleRef;
  readonly subject: JsonRecord;
  readonly namespace: string;
}

function describe({ metadata }: StoredObject, { role, subject, namespace }: Granted): string {
  const name = namespace === "" ? metadata.name : `${metadata.name}/${namespace}`;
  const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  const who = stringAt(subject, "name") ?? "";
  const place = (stringAt(subject, "namespace") ?? "") || namespace;
  const whom = subject["kind"] === "ServiceAccount" ? `${who}/${place}` : who;
  return `${kind} ${quote(name)} of ${role.kind} ${quote(role.name)} to ${String(subject["kind"])} ${quote(whom)}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** As Go writes several errors. */
function joined(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] ?? "") : `[${different.join(", ")}]`;
}
