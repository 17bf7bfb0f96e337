// The format of vector files, as far as the oracle writes it.
import { defaultOptions, type SemanticsProfile } from "@plimsoll/core";

/** The kinds of the public format that upstream has an implementation of. */
export const kinds = [
  "quantity",
  "proposal",
  "behavior",
  "trajectory",
  "validation",
  "defaulting",
  "conversion",
] as const;

/**
 * Every kind that the oracle runs. `decision` is a trajectory: everything in each step is compared. `manifest` is an HPA
 * as `kubectl apply` sends it, mistakes included. `record` is one of a
 * WorkloadAutoscaler, which upstream does not have: its decisions are recorded and replayed.
 */
export const oracleKinds = [...kinds, "decision", "manifest", "record"] as const;

export type VectorKind = (typeof kinds)[number];
export type Kind = (typeof oracleKinds)[number];

/** One case of a vector file; its members depend on the kind. */
export type VectorCase = { readonly name: string } & Readonly<Record<string, unknown>>;

export interface VectorFile {
  readonly format: "plimsoll-vectors/1";
  readonly kind: Kind;
  readonly source: string;
  /** Whose rules apply; absent means the usual one. */
  readonly semantics?: SemanticsProfile;
  readonly cases: readonly VectorCase[];
}

export function vectorFile({
  kind,
  release,
  source,
  cases,
}: {
  readonly kind: Kind;
  readonly release: SemanticsProfile;
  readonly source: string;
  readonly cases: readonly VectorCase[];
}): VectorFile {
  return {
    format: "plimsoll-vectors/1",
    kind,
    source,
    ...(release === defaultOptions.semantics ? {} : { semantics: release }),
    cases,
  };
}

export function isKind(text: string): text is Kind {
  return oracleKinds.some((kind) => kind === text);
}
