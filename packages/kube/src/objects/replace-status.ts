import type { KubeClient } from "../client/client.ts";
import type { KubeObject } from "./object.ts";
import { type ResourceInfo, resourcePath } from "./resource.ts";

/**
 * Puts `object` to its status subresource: the server takes its status and nothing else. Its resourceVersion makes
 * a change since the read a conflict (409). Returns what the server stored. Throws ApiError or ConnectionError.
 */
export function replaceStatus<T extends KubeObject>(
  client: KubeClient,
  info: Pick<ResourceInfo, "group" | "version" | "resource">,
  object: T,
): Promise<T> {
  const { namespace, name } = object.metadata;
  return client.request<T>({
    method: "PUT",
    path: resourcePath(info, namespace, name, "status"),
    body: object,
  });
}
