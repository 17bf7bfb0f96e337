import type { AccessSpec } from "@plimsoll/kube";
import { subjectOf, type User } from "@plimsoll/kube/serving";
import type { RequestInfo } from "../server/request-info.ts";

/** Verb and path say all that a question says of a request. No path holds a line feed. */
export function accessKey(info: RequestInfo): string {
  return `${info.verb}\n${info.path}`;
}

export function accessQuestion(user: User, info: RequestInfo): AccessSpec {
  const subject = subjectOf(user);
  const { resource } = info;
  if (resource === undefined) {
    return { ...subject, nonResourceAttributes: { path: info.path, verb: info.verb } };
  }
  return {
    ...subject,
    resourceAttributes: {
      ...(resource.namespace === undefined ? {} : { namespace: resource.namespace }),
      verb: info.verb,
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
      ...(resource.subresource === undefined ? {} : { subresource: resource.subresource }),
      ...(resource.name === undefined ? {} : { name: resource.name }),
    },
  };
}
