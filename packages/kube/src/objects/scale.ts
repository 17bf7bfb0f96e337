import type { KubeClient } from "../client/client.ts";
import type { KubeObject } from "./object.ts";
import { type ResourceInfo, resourcePath } from "./resource.ts";

/** The scale subresource of a workload, whole, so that it can be written back. */
export interface Scale extends KubeObject {
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly replicas: number;
    /** A label selector as text; "" when the workload states none. */
    readonly selector: string;
  };
}

/** Throws ApiError (404 also when the kind has no scale subresource) or ConnectionError. */
export async function readScale(
  client: KubeClient,
  info: ResourceInfo,
  namespace: string,
  name: string,
): Promise<Scale> {
  return filled(await client.request<WireScale>({ path: scalePath(info, namespace, name) }));
}

/**
 * Replaces the scale with this one; its resourceVersion makes a change since the read a conflict (409).
 * Returns what the server stored. Throws ApiError or ConnectionError.
 */
export async function writeScale(client: KubeClient, info: ResourceInfo, scale: Scale): Promise<Scale> {
  const { namespace, name } = scale.metadata;
  return filled(
    await client.request<WireScale>({ method: "PUT", path: scalePath(info, namespace, name), body: scale }),
  );
}

function scalePath(info: ResourceInfo, namespace: string | undefined, name: string): string {
  return resourcePath(info, info.namespaced ? namespace : undefined, name, "scale");
}

interface WireScale extends KubeObject {
  readonly spec?: Partial<Scale["spec"]>;
  readonly status?: Partial<Scale["status"]>;
}

/** The wire leaves zero and "" out. */
function filled(scale: WireScale): Scale {
  return {
    ...scale,
    spec: { replicas: 0, ...scale.spec },
    status: { replicas: 0, selector: "", ...scale.status },
  };
}
