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
export function resourceInfo(
  wire: {
    readonly [K in keyof ResourceInfo]: ResourceInfo[K] | (K extends Optional ? undefined | null : never);
  },
): ResourceInfo {
  const { kind, singular, verbs, shortNames } = wire;
  // Go prints an empty list as null.
  return {
    ...wire,
    singular: singular || kind.toLowerCase(),
    verbs: verbs ?? [],
    shortNames: shortNames ?? [],
  };
}

type Optional = "singular" | "verbs" | "shortNames";
