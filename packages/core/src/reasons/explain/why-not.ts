// Words for what `whyNot` finds.
import { plainQuantity } from "../../values/quantity/plain.ts";
import { counted, uncapitalized } from "../../values/text.ts";
import { instantMs } from "../../values/time/rfc3339.ts";
import type { NeededValue, WhyNot, WhyNotOther } from "../why-not/types.ts";
import { clockText } from "./clock.ts";

const column = 17;

/** Why it is not that number of replicas, and what would give it, as lines of text; times are UTC. */
export function explainWhyNot(found: WhyNot, options: { readonly atMs?: number | undefined } = {}): string {
  if (found.is === "decided") return `${counted(found.n, "replica")}: this is the decision.`;
  return [headOf(found), ...waysOf(found, options.atMs), ...found.notes.map((note) => `  ${note}`)].join(
    "\n",
  );
}

function headOf({ n, step, why, values = [], needs, is }: WhyNotOther): string {
  const head = `Why not ${n}:`;
  if (is === "metrics" && values.length > 0) return `${head} ${valuesText(values, needs)}`;
  return `${head} ${why === "" ? `${step}.` : uncapitalized(why)}`;
}

function waysOf(found: WhyNotOther, atMs: number | undefined): readonly string[] {
  const { earliest, earliestIs = "after", provided, settings = [], values = [], needs, is } = found;
  const ways = [
    ...(is === "held" && values.length > 0 ? [["metrics", valuesText(values, needs)] as const] : []),
    ...(earliest === undefined
      ? []
      : [["earliest", earliestText(earliest, earliestIs, provided, atMs)] as const]),
    ...settings.map(
      ({ field, bound }, i) =>
        [i === 0 && earliest === undefined ? "with" : "or", `${field} ${bound}`] as const,
    ),
  ];
  return ways.map(([name, text]) => `  ${name.padEnd(column)}${text}`);
}

function earliestText(
  earliest: string,
  is: "at" | "after",
  provided: string | undefined,
  atMs: number | undefined,
): string {
  return `${is} ${clockText(instantMs(earliest) ?? 0, atMs)}${provided === undefined ? "" : `, if ${provided}`}`;
}

function valuesText(values: readonly NeededValue[], needs: WhyNotOther["needs"]): string {
  const texts = values.map(({ name, per, now, needed, upTo }, i) => {
    // More replicas are reached at the lowest value; on the way down it matters how far a metric may fall.
    const range = upTo === undefined || needs !== "all" ? [needed] : [needed, upTo];
    const [at, is] = [range.map(plainQuantity).join(" to "), plainQuantity(now)];
    const unit = per === undefined ? "" : ` ${per}`;
    return `${name}${i === 0 ? " would have to be" : ""} at ${at}${unit} (now ${is})`;
  });
  return `${texts.join(needs === "all" ? ", and " : ", or ")}.`;
}
