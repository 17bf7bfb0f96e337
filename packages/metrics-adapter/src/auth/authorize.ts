// What kube-apiserver reviews about a request.
import type { AccessSpec } from "@plimsoll/kube";
import { subjectOf, type User } from "@plimsoll/kube/serving";
import type { RequestInfo } from "../api/request-info.ts";

/** Verb, path and name determine the review of a request. None of them has a line feed. */
export function accessKey({ verb, path, resource }: RequestInfo): string {
  return `${verb}\n${path}\n${resource?.name ?? ""}`;
}

/** One review covers these: the same verb on any resource of the version. */
export function wildcardKey({ verb, resource }: RequestInfo): string | undefined {
  return resource === undefined ? undefined : `${verb}\n${resource.group}\n${resource.version}`;
}

/** The review of a request. */
export function accessReview(user: User, info: RequestInfo): AccessSpec {
  const subject = subjectOf(user);
  const { resource } = info;
  if (resource === undefined)
    return { ...subject, nonResourceAttributes: { path: info.path, verb: info.verb } };
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
