// How many compared decisions agree, and whether that is enough.
import type { ShadowCounts, ShadowItem } from "@plimsoll/decisions";
import type { ObjectError } from "../../output/document.ts";
import { CliError, type ExitCode } from "../../seams.ts";

export interface ShadowTotal {
  readonly objects: number;
  readonly agreed: number;
  readonly differed: number;
  /** Not comparable: both looked at different moments. */
  readonly unsettled: number;
  /** Objects that differ now, for less than two periods. */
  readonly apart: number;
  /** RFC 3339; null: nothing was compared. */
  readonly since: string | null;
}

export interface Shadowed {
  readonly items: readonly ShadowItem[];
  readonly total: ShadowTotal;
}

/** Fewer say nothing about an agreement. */
const minCompared = 100;

export function totalOf(items: readonly ShadowItem[]): ShadowTotal {
  const sum = (count: (item: ShadowItem) => number): number =>
    items.reduce((total, item) => total + count(item), 0);
  const [since = null] = items.map((item) => item.since).sort();
  return {
    objects: items.length,
    agreed: sum(({ agreed }) => agreed),
    differed: sum(({ differed }) => differed),
    unsettled: sum(({ unsettled }) => unsettled),
    apart: sum(({ isApart }) => (isApart ? 1 : 0)),
    since,
  };
}

type Counts = Pick<ShadowTotal, "agreed" | "differed">;

export function comparedOf({ agreed, differed }: Counts): number {
  return agreed + differed;
}

/** In percent; undefined while nothing was compared. */
export function agreementOf(counts: Counts): number | undefined {
  const compared = comparedOf(counts);
  return compared === 0 ? undefined : (counts.agreed / compared) * 100;
}

/** @throws CliError where too few decisions were compared. */
export function exitCodeOf({ total }: Shadowed, minPercent: number | undefined): ExitCode {
  if (minPercent === undefined) return 0;
  const compared = comparedOf(total);
  if (compared < minCompared)
    throw new CliError(
      `--min-agreement: too few decisions compared (${compared}); at least ${minCompared} are needed`,
    );
  return (agreementOf(total) ?? 0) < minPercent ? 2 : 0;
}

// The schema has the fields only of the type that declares them.
/** The comparison of one HPA; the agreement in percent, null while nothing was compared. */
type ShadowItemDocument = Omit<ShadowCounts, "agreement"> &
  Pick<ShadowItem, "namespace" | "name" | "isApart" | "lastDifference"> & {
    readonly agreement: number | null;
  };

/** Fields are only added within one version of the schema. */
export interface ShadowDocument {
  readonly schema: "plimsoll/shadow/v1";
  readonly at: string;
  /** Agreement in percent; null while nothing was compared. */
  readonly total: ShadowTotal & { readonly agreement: number | null };
  readonly items: readonly ShadowItemDocument[];
  readonly notes: readonly string[];
  /** Nothing is shown where something could not be read: always empty. */
  readonly errors: readonly ObjectError[];
}

export function shadowDocument(
  { items, total }: Shadowed,
  at: string,
  notes: readonly string[],
): ShadowDocument {
  const withAgreement = <T extends Counts>(counts: T) => ({
    ...counts,
    agreement: agreementOf(counts) ?? null,
  });
  return {
    schema: "plimsoll/shadow/v1",
    at,
    total: withAgreement(total),
    items: items.map(withAgreement),
    notes,
    errors: [],
  };
}
