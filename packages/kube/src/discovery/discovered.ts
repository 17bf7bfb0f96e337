// What discovery returned, whichever way it was read.
import type { ResourceInfo } from "../objects/resource.ts";

/** One group as the server serves it. */
export interface DiscoveredGroup {
  /** "" for the core group. */
  readonly group: string;
  /** Preferred first. */
  readonly versions: readonly string[];
  /** Of all versions, in that order; subresources are folded into `hasScale`. */
  readonly resources: readonly ResourceInfo[];
}

/** All groups of a server. */
export interface Discovered {
  readonly groups: readonly DiscoveredGroup[];
  /** What could not be read: "GROUP/VERSION: why". */
  readonly failures: readonly string[];
}

/** Fills in what the wire may leave out. */
export function resourceInfo(wire: {
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
    ...wire,
    singular: wire.singular === undefined || wire.singular === "" ? wire.kind.toLowerCase() : wire.singular,
    verbs: wire.verbs ?? [],
    shortNames: wire.shortNames ?? [],
  };
}
