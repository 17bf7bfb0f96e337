// Changes queries at random, with what a hostile author would try.
import type { Random } from "../random.ts";

/** Ends of strings and comments, blanks that are none, words of one server only, and what reads series. */
const fragments: readonly [string, ...string[]] = [
  "'",

  '"',
  "`",
  "\\",
  "\\`",
  '\\"',
  "#",
  "#\r",
  "\r",
  "\n",
  "\t",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "\0",
  "\x7f",
  "\ufffd",

  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ",",
  ":",
  "=",
  "!=",
  "=~",
  "!~",
  "@",
  "-",
  "+",
  "^",
  "/",
  "</",
  ">/",
  ">",
  "%",
  ".",
  ..."or and unless atan2 on ignoring group_left group_right bool by without offset fill fill_left smoothed".split(
    " ",
  ),
  ..."anchored start end step range min_of inf NaN sum count_values info rate WITH with default if limit".split(
    " ",
  ),
  ..."keep_metric_names ifnot up secret x:y é foo.bar 1 0x1F 1_000 .5 1e5 5m 1h30m 300 1i 5Ki".split(" "),

  "[5m]",
  "[1h:5m]",
  "[1h:]",
  "[5m+1m]",
  "[step()]",
  " offset 5m",
  " offset -1h",
  " offset (5m)",
  " @ 5",
  " @ end()",

  "{}",
  '{"up"}',
  '{"up",a="b"}',
  "{namespace='x'}",
  '{"namespace"="x"}',
  "{'name\\x73pace'!=\"\"}",
  "{namespace=~`.*`}",

  " or secret",
  "} or secret{",
  "`} or secret{a=`",
  '"} or secret{a="',
  "') or secret or label_replace(up,'a','b','c','",

  "info(up)",
  'info(up,{x="y"})',
  "absent(up)",
  "(up, secret)",
  "{a='b' or c='d'}",
  "{__name__=~'.+'}",
  "# \r or secret",
];

const MAX_CHANGES = 4;

/** A query that differs from the given one in some places. Most are no queries any more. */
export function changed(random: Random, query: string, other: string): string {
  let text = query;
  for (let left = random.int(1, MAX_CHANGES); left > 0; left -= 1) text = changedOnce(random, text, other);
  return text;
}

function changedOnce(random: Random, query: string, other: string): string {
  const from = placeIn(random, query);
  const to = random.chance(0.5) ? from : Math.min(query.length, from + random.int(1, 8));
  return random.weighted<() => string>([
    [6, () => query.slice(0, from) + random.pick(fragments) + query.slice(to)],
    [2, () => query.slice(0, from) + query.slice(to)],
    [2, () => query.slice(0, from) + other.slice(placeIn(random, other))],
    [1, () => `${query} ${random.pick(["or", "+", "and on(a)", "#", "#\r", "\r", ""])} ${other}`],
    [1, () => `(${query})`],
  ])();
}

/** Half of the places are where two words meet, as fragments fit there. */
function placeIn(random: Random, query: string): number {
  const at = random.int(0, query.length);
  const end = random.chance(0.5) ? query.slice(at).search(/\b/) : 0;
  return at + Math.max(0, end);
}

/** The same query as its author may have written it: names before the braces, other quotes, comments, line breaks. */
export function respelled(random: Random, query: string): string {
  return query
    .replaceAll(/\{__name__="([a-zA-Z_:][\w:]*)",?/g, (whole, name: string) =>
      random.chance(0.7) ? `${name}{` : whole,
    )
    .replaceAll(/\{\}/g, (braces) => (random.chance(0.5) ? "" : braces))
    .replaceAll(/__name__="([^"\\]+)"/g, (whole, name: string) => (random.chance(0.3) ? `"${name}"` : whole))
    .replaceAll(/"([^"\\`'\n]*)"/g, (whole, text: string) =>
      random.weighted([
        [6, whole],
        [1, `'${text}'`],
        [1, `\`${text}\``],
        [1, `"${escapes(text)}"`],
      ]),
    )
    .replaceAll(/ /g, () =>
      random.weighted([
        [20, " "],
        [1, "\n\t"],
        [1, " # }`\"'\n"],
        [1, "\r\n"],
      ]),
    );
}

function escapes(text: string): string {
  return Array.from(text, (char) => `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`).join(
    "",
  );
}
