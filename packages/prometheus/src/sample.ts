// The results of Prometheus queries.

/** Label names and values as Prometheus sent them; values of more than 1,024 characters are cut. Read with labelOf: names such as "constructor" are legal. */
export type Labels = Readonly<Record<string, string>>;

/** One series at one time. The value is a float64, NaN and infinities included; the time is in milliseconds since 1970. */
export interface VectorSample {
  readonly labels: Labels;
  /** Evaluation time that Prometheus stamped on the sample, Unix milliseconds. */
  readonly atMs: number;
  /** May be NaN or infinite: the caller decides what that means. */
  readonly value: number;
}

/** One series over a range of time, as pairs of time and value. */
export interface MatrixSeries {
  readonly labels: Labels;
  readonly points: readonly (readonly [atMs: number, value: number])[];
}

/** The data of a query, by the type that Prometheus names. */
export type QueryResult =
  | { readonly type: "vector"; readonly samples: readonly VectorSample[] }
  | { readonly type: "scalar"; readonly atMs: number; readonly value: number }
  | { readonly type: "string"; readonly atMs: number; readonly text: string }
  | { readonly type: "matrix"; readonly series: readonly MatrixSeries[] };

/** The result of a query with what Prometheus wants its user to know (partial responses are announced here). */
export type InstantResult = QueryResult & {
  /** So many series were larger than the client's `maxItemBytes`, and are missing. */
  readonly leftOut?: number;
  /** What of the data is not in it, where the data are not those of a Prometheus. */
  readonly missing?: string;
  /** Part of the data is enough: the administrator said so. */
  readonly allowsPartial?: true;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
};

/** A label's value, or undefined when the series does not carry it. */
export function labelOf(labels: Labels, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}

/**
 * Why a result is not whole, as far as that is known: federating servers and remote reads say it, and so does the
 * client, which leaves out what is too large. Undefined: it is whole. Notes on the query itself, which Prometheus marks
 * with "PromQL", say nothing about the data, and where the administrator allows partial responses no warning does.
 */
export function missingPart({
  missing,
  leftOut,
  allowsPartial,
  warnings,
}: InstantResult): string | undefined {
  if (missing !== undefined) return missing;
  if (leftOut !== undefined) {
    const series = leftOut === 1 ? "1 series was" : `${leftOut} series were`;
    return `${series} left out of the response, because the labels are too long: drop the long labels, or aggregate the query without them`;
  }
  if (allowsPartial) return undefined;
  const warning = warnings.find((one) => !one.startsWith("PromQL"));
  return warning === undefined ? undefined : `Prometheus has only part of the data: ${warning}`;
}
