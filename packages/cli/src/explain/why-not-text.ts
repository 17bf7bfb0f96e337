// Why not N replicas, in a few lines.
import { instantMs, type WhyNot } from "@plimsoll/core";
import { timeText } from "../output/age.ts";
import type { Style } from "../output/style.ts";
import { padEnd, wrap } from "../output/width.ts";
import { plainQuantity } from "./metric-words.ts";

type Other = Exclude<WhyNot, { is: "decided" }>;

export function whyNotText(
  answer: WhyNot,
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  const lines = answer.is === "decided" ? [`${answer.n} is what is decided.`] : otherLines(answer, nowMs);
  return `${lines.flatMap((line) => wrap(style.text(line), style.columns, indentOf(line))).join("\n")}\n`;
}

function otherLines(answer: Other, nowMs: number): readonly string[] {
  const { n, step, why, values = [], settings = [], notes } = answer;
  const first = [`Not ${n}: ${step}.`, why, ...(answer.is === "metrics" ? [valuesSentence(answer)] : [])];
  const labeled: (readonly [label: string, text: string])[] = [];
  const earliest = earliestText(answer, nowMs);
  if (earliest !== undefined) labeled.push(["earliest", earliest]);
  if (answer.is === "held" && values.length > 0) labeled.push(["or", valuesSentence(answer)]);
  for (const { field, bound } of settings)
    labeled.push([labeled.length === 0 ? "with" : "or", `${field} ${bound}`]);
  for (const note of notes) labeled.push(["note", note]);
  return [
    first.filter((text) => text !== "").join(" "),
    ...labeled.map(([label, text]) => `  ${padEnd(label, 15)}  ${text}`),
  ];
}

function earliestText({ earliest, earliestIs, provided }: Other, nowMs: number): string | undefined {
  const ms = earliest === undefined ? undefined : instantMs(earliest);
  if (ms === undefined) return undefined;
  const after = earliestIs === "after" ? "after " : "";
  return `${after}${timeText(ms, nowMs)}${provided === undefined ? "" : `, ${provided}`}`;
}

/** "cpu would have to be at 83% (now 34%), or queue_depth at 331 (now 90)." */
function valuesSentence({ values = [], needs }: Other): string {
  if (values.length === 0) return "";
  const [first, ...rest] = values.map(
    ({ name, now, needed, upTo }) =>
      [
        name,
        `${plainQuantity(needed)}${upTo === undefined ? "" : ` to ${plainQuantity(upTo)}`} (now ${plainQuantity(now)})`,
      ] as const,
  );
  if (first === undefined) return "";
  const joint = needs === "all" ? ", and" : ", or";
  return `${first[0]} would have to be at ${[first[1], ...rest.map(([name, text]) => `${name} at ${text}`)].join(`${joint} `)}.`;
}

function indentOf(line: string): string {
  return line.startsWith("  ") ? " ".repeat(19) : "  ";
}
