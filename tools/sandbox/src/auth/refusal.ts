// What the API server says when it refuses a request.
import { forbidden, StatusError } from "../errors/status-error.ts";
import type { AccessAttributes } from "./access.ts";

/** The error with code 403, and its reason where the authorizer gives one. */
export function refusal({ user, verb, resource, path = "" }: AccessAttributes, reason?: string): StatusError {
  const why = reason === undefined ? "" : `: ${reason}`;
  if (resource === undefined) {
    const message = `forbidden: User "${user.username}" cannot ${verb} path "${path}"${why}`;
    return new StatusError({ code: 403, reason: "Forbidden", message, details: {} });
  }
  const { group, resource: plural, subresource, namespace, name } = resource;
  const whole = subresource === "" ? plural : `${plural}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const text = `User "${user.username}" cannot ${verb} resource "${whole}" in API group "${group}" ${scope}`;
  return forbidden({ group, resource: plural }, name, text + why);
}
