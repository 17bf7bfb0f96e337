// Refuses roles and bindings that would give more rights than their writer has.
import { forbidden } from "../errors/status-error.ts";
import type { JsonRecord } from "../storage/json-value.ts";
import { isSame } from "../storage/seal.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Authorizer } from "./access.ts";
import { describeRules, type PolicyRule, quoted, rulesIn, uncovered } from "./policy-rule.ts";
import { type Rbac, rbacGroup, roleRefOf } from "./rbac.ts";
import type { UserInfo } from "./user.ts";

/** A role or binding that is about to be written. */
export interface RbacWrite {
  readonly user: UserInfo;
  /** Such as "rolebindings". */
  readonly resource: string;
  /** "" for an object of the cluster. */
  readonly namespace: string;
  /** The name in the path; "" when it is created. */
  readonly pathName: string;
  readonly object: JsonRecord & { readonly metadata: { readonly name: string } };
  /** Absent: it is created. */
  readonly current?: StoredObject | undefined;
}

const everything: PolicyRule = {
  verbs: ["*"],
  apiGroups: ["*"],
  resources: ["*"],
  resourceNames: [],
  nonResourceURLs: [],
};
const everyPath: PolicyRule = { ...everything, apiGroups: [], resources: [], nonResourceURLs: ["*"] };

/** @throws StatusError with code 403, or 404 for a role that a binding names */
export function checkEscalation(write: RbacWrite, rbac: Rbac, authorize: Authorizer): void {
  const { user, object, current } = write;
  if (user.groups.includes("system:masters")) return;
  if (current !== undefined && isOnlyForCollection(object, current)) return;
  if (write.resource.endsWith("bindings")) checkBinding(write, rbac, authorize);
  else checkRole(write, rbac, authorize);
}

const ofServer = new Set(["ownerReferences", "finalizers", "managedFields", "resourceVersion"]);

/** Controllers change these fields before an object goes. */
function isOnlyForCollection(object: JsonRecord, current: StoredObject): boolean {
  const compared = ({ metadata, ...rest }: JsonRecord) => {
    const kept = Object.entries(metadata as JsonRecord).filter(([key]) => !ofServer.has(key));
    return { ...rest, metadata: Object.fromEntries(kept) };
  };
  return isSame(compared(object), compared(current));
}

function checkRole(write: RbacWrite, rbac: Rbac, authorize: Authorizer): void {
  const { user, resource, namespace, pathName, object, current } = write;
  const asked = { group: rbacGroup, version: "v1", resource, subresource: "", namespace, name: pathName };
  if (authorize({ user, verb: "escalate", resource: asked }).allowed) return;
  const aggregates = [object, current].some((one) => one?.["aggregationRule"] !== undefined);
  if (aggregates && missingText(write, rbac, [everything, everyPath]) !== undefined)
    throw refused(write, "must have cluster-admin privileges to use the aggregationRule");
  confirm(write, rbac, rulesIn(object));
}

function checkBinding(write: RbacWrite, rbac: Rbac, authorize: Authorizer): void {
  const { user, namespace, object } = write;
  const role = roleRefOf(object);
  const resource = role.kind === "ClusterRole" ? "clusterroles" : "roles";
  const asked = { group: rbacGroup, version: "*", resource, subresource: "", namespace, name: role.name };
  if (authorize({ user, verb: "bind", resource: asked }).allowed) return;
  confirm(write, rbac, rbac.rulesOfRole(role, namespace));
}

function confirm(write: RbacWrite, rbac: Rbac, wanted: readonly PolicyRule[]): void {
  const missing = missingText(write, rbac, wanted);
  if (missing !== undefined) throw refused(write, missing);
}

function missingText(
  { user, namespace }: RbacWrite,
  rbac: Rbac,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, errors } = rbac.rulesOf(user, namespace);
  const missing = uncovered(rules, wanted);
  if (missing.length === 0) return undefined;
  const who = `user ${JSON.stringify(user.username)} (groups=${quoted(user.groups)})`;
  const what = "is attempting to grant RBAC permissions not currently held";
  const unknown = errors.length === 0 ? "" : `; resolution errors: [${errors.join(" ")}]`;
  return `${who} ${what}:\n${describeRules(missing).join("\n")}${unknown}`;
}

function refused({ resource, object }: RbacWrite, why: string) {
  return forbidden({ group: rbacGroup, resource }, object.metadata.name, why);
}
