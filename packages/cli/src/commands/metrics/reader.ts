// Reads what may be in a cluster, and notes what may not be read.
import type { LabelSelector } from "@plimsoll/core/selector";
import { ApiError, isNotFound, type ResourceInfo, readList, resourcePath } from "@plimsoll/kube";
import type { Labels } from "@plimsoll/prometheus";
import type { Cluster } from "../../cluster/cluster.ts";

/** What is read of workloads, Services, and what leads to them. */
export interface Wire {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Labels;
  };
  readonly spec?: {
    readonly replicas?: number;
    /** Of a Service, labels. */
    readonly selector?: Labels & LabelSelector;
    readonly template?: { readonly metadata?: { readonly labels?: Labels } };
    readonly controller?: string;
    readonly controllerName?: string;
    readonly gatewayClassName?: string;
    readonly ingressClassName?: string;
    readonly parentRefs?: readonly { readonly name: string; readonly namespace?: string }[];
    readonly ports?: readonly { readonly port: number; readonly targetPort?: number | string }[];
  };
}

type Resource = Pick<ResourceInfo, "group" | "version" | "resource">;

export const services: Resource = { group: "", version: "v1", resource: "services" };

export type Reader = ReturnType<typeof createReader>;

/** What was read, by its path. */
export type Reads = Map<string, Promise<unknown>>;

/** Each list and object is read once, by all readers that share `known`. */
export function createReader({ client, namespace }: Cluster, known: Reads = new Map()) {
  const notes: string[] = [];
  const denied: string[] = [];
  const once = <T>(path: string, read: () => Promise<T>): Promise<T> => {
    const promise = (known.get(path) as Promise<T> | undefined) ?? read();
    known.set(path, promise);
    return promise;
  };
  const orNote = async <T>(note: string, none: T, read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read;
    } catch (error) {
      if (isNotFound(error)) return none;
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      if (!notes.includes(note)) notes.push(note);
      denied.push(note);
      return undefined;
    }
  };
  const ask = "may not be read: ask your administrator for that right";
  return {
    /** For the user. */
    notes,
    /** Those of what may not be read. */
    denied,
    /** Of the command's namespace, or of the whole cluster; undefined: it may not be read. */
    list(resource: Resource, where: "here" | "everywhere" = "here"): Promise<readonly Wire[] | undefined> {
      const path = resourcePath(resource, where === "here" ? namespace : undefined);
      const note =
        where === "here"
          ? `${resource.resource} in ${namespace} ${ask}`
          : `${resource.resource} of the cluster ${ask}, or choose with --recipe NAME`;
      return orNote(
        note,
        [],
        once(path, () => readList<Wire>(client, path)),
      );
    },
    /** Undefined: it is not there, or may not be read. */
    get(resource: Resource, name: string, within?: string): Promise<Wire | undefined> {
      const path = resourcePath(resource, within, encodeURIComponent(name));
      const note = `${resource.resource} ${within === undefined ? "" : `${within}/`}${name} ${ask}, or choose with --recipe NAME`;
      return orNote(
        note,
        undefined,
        once(path, () => client.request<Wire>({ path })),
      );
    },
  };
}
