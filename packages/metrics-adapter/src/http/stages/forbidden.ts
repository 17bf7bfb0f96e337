// The message of a 403.
import type { User } from "@plimsoll/kube/serving";
import type { Failure } from "../../api/failure.ts";
import type { RequestInfo } from "../../api/request-info.ts";

/**
 * The refusal in the words that every Kubernetes client shows.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go#Forbidden
 */
export function forbidden(user: User, info: RequestInfo, reason: string): Failure {
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)}`;
  const { resource } = info;
  if (resource === undefined) {
    return {
      reason: "Forbidden",
      message: `forbidden: ${who} cannot ${info.verb} path ${JSON.stringify(info.path)}${because}`,
      details: {},
    };
  }
  const { group, name, namespace } = resource;
  const subject = `${resource.resource}.${group}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  const what =
    resource.subresource === undefined ? resource.resource : `${resource.resource}/${resource.subresource}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return {
    reason: "Forbidden",
    message: `${subject} is forbidden: ${who} cannot ${info.verb} resource "${what}" in API group "${group}" ${where}${because}`,
    details: { ...(name === undefined ? {} : { name }), group, kind: resource.resource },
  };
}
