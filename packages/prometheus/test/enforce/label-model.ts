// A small model of what PromQL's functions make of the labels of series, written without the code that it checks.
import * as fc from "fast-check";

export type Series = Readonly<Record<string, string>>;

/** A query, and what it makes of the series that its selectors select. */
export interface ModelQuery {
  readonly query: string;
  readonly run: (selected: readonly Series[]) => readonly Series[];
}

const labels = ["a", "b", "c", "d"];
const label = fc.constantFrom(...labels);

/** Random series of a namespace. */
export const modelSeries: fc.Arbitrary<readonly Series[]> = fc.array(
  fc.dictionary(label, fc.string({ unit: fc.constantFrom("x", "y", "-", "1", "ä"), maxLength: 30 })),
  { minLength: 1, maxLength: 4 },
);

/** RE2 and JavaScript read these alike. */
const pattern = fc.constantFrom(
  "(.*)",
  "(.*)-(.*)",
  "((.*)-)?(.*)",
  "(((x|y)*)-?)*(.*)",
  "(?:(x+)|(y+)|(-))*",
  "([^-]*)(.*)",
  "(?<n>x*)(.*)",
  "(x)?.*",
  "",
  "(x{2,3}|(y|-){1,4})+.*",
);
const reference = fc.constantFrom(
  "$1",
  "$2",
  "$3",
  "${1}",
  "$0",
  "$n",
  "${n}",
  "$$",
  "$9",
  "-",
  "lit",
  "$1_",
  "$",
);
const replacement = fc.array(reference, { maxLength: 6 }).map((parts) => parts.join(""));

function labelReplace(
  inner: ModelQuery,
  [dst, template, src, regex]: readonly [string, string, string, string],
): ModelQuery {
  return {
    query: `label_replace(${inner.query},"${dst}","${template}","${src}","${regex}")`,
    run: (selected) =>
      inner.run(selected).map((one) => {
        const match = new RegExp(`^(?:${regex})$`, "su").exec(one[src] ?? "");
        return match === null ? one : { ...one, [dst]: expanded(template, match) };
      }),
  };
}

/** As Go expands it: a name is as long as it can be, and an unknown one is empty. */
function expanded(template: string, match: RegExpExecArray): string {
  return template.replaceAll(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_whole, dollar, braced, bare) => {
    if (dollar !== undefined) return "$";
    const name = String(braced ?? bare);
    return (/^\d+$/.test(name) ? match[Number(name)] : match.groups?.[name]) ?? "";
  });
}

function labelJoin(
  inner: ModelQuery,
  dst: string,
  separator: string,
  sources: readonly string[],
): ModelQuery {
  const args = [dst, separator, ...sources].map((text) => `"${text}"`).join(",");
  return {
    query: `label_join(${inner.query},${args})`,
    run: (selected) =>
      inner.run(selected).map((one) => ({
        ...one,
        [dst]: sources.map((source) => one[source] ?? "").join(separator),
      })),
  };
}

/** Every series of the many with every one of the other side, which is more than any server matches. */
function grouped(
  left: ModelQuery,
  right: ModelQuery,
  side: "left" | "right",
  copied: readonly string[],
): ModelQuery {
  const [many, one] = side === "left" ? [left, right] : [right, left];
  return {
    query: `(${left.query} * on (z) group_${side} (${copied.join(",")}) ${right.query})`,
    run: (selected) =>
      many.run(selected).flatMap((series) =>
        one.run(selected).map((other) => ({
          ...series,
          ...Object.fromEntries(copied.map((name) => [name, other[name] ?? ""])),
        })),
      ),
  };
}

function kept(inner: ModelQuery, by: boolean, names: readonly string[]): ModelQuery {
  return {
    query: `max ${by ? "by" : "without"} (${names.join(",")}) (${inner.query})`,
    run: (selected) =>
      inner
        .run(selected)
        .map((one) =>
          Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name) === by)),
        ),
  };
}

function around(before: string, inner: ModelQuery, behind: string): ModelQuery {
  return { ...inner, query: `${before}${inner.query}${behind}` };
}

/** Queries of a few levels. */
export const modelQuery: fc.Arbitrary<ModelQuery> = fc.letrec<{ query: ModelQuery }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 5, depthSize: "medium", withCrossShrink: true },
    fc.constant<ModelQuery>({ query: "up", run: (selected) => selected }),
    fc
      .tuple(tie("query"), fc.tuple(label, replacement, label, pattern))
      .map(([inner, args]) => labelReplace(inner, args)),
    fc
      .tuple(tie("query"), label, fc.constantFrom("", "--"), fc.array(label, { maxLength: 4 }))
      .map(([inner, dst, separator, sources]) => labelJoin(inner, dst, separator, sources)),
    fc
      .tuple(
        tie("query"),
        tie("query"),
        fc.constantFrom("left" as const, "right" as const),
        fc.subarray(labels),
      )
      .map(([left, right, side, copied]) => grouped(left, right, side, copied)),
    fc
      .tuple(tie("query"), fc.boolean(), fc.subarray(labels))
      .map(([inner, by, names]) => kept(inner, by, names)),
    fc.tuple(tie("query"), tie("query")).map(([left, right]) => ({
      query: `(${left.query} or ${right.query})`,
      run: (selected: readonly Series[]) => [...left.run(selected), ...right.run(selected)],
    })),
    tie("query").map((inner) => around("max_over_time((", inner, ")[5m:1m])")),
    tie("query").map((inner) => around("topk(5, -", inner, ")")),
  ),
})).query;
