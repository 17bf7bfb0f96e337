import type { ResourceInfo } from "../resource.ts";

/** One group as the server serves it. */
export interface DiscoveredGroup {
  /** "" for the core group. */
  readonly group: string;
  /** Preferred first. */
  readonly versions: readonly string[];
  /** Of all versions, in that order; subresources are folded into `hasScale`. */
  readonly resources: readonly ResourceInfo[];
}

export interface Discovered {
  readonly groups: readonly DiscoveredGroup[];
  /** What could not be read: "GROUP/VERSION: why". */
  readonly failures: readonly string[];
}

/** Builds a ResourceInfo out of what the wire may leave out. */
export function resourceInfo(o: {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string | undefined;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[] | undefined;
  readonly shortNames: readonly string[] | undefined;
  readonly hasScale: boolean;
}): ResourceInfo {
  return {
    ...o,
    singular: o.singular === undefined || o.singular === "" ? o.kind.toLowerCase() : o.singular,
    verbs: o.verbs ?? [],
    shortNames: o.shortNames ?? [],
  };
}
