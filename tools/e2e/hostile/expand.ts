/** Values of {n} (a copy), {e} (an edit) and {i} (a position in a repetition). */
export type Counters = Readonly<Record<string, number>>;

/** What etcd takes in one request by default. */
export const maxBytes = 1_572_864;

/** A template expands to more than any API server takes. */
export class TooLarge extends Error {}

interface Repeat {
  readonly $repeat: unknown;
  readonly times: number;
  /** Between two texts. */
  readonly join?: string;
}

/**
 * Writes a template out: `{$repeat: "x{i}", times: 3}` is a text, `{$list: …, times: 3}` a list,
 * `{$map: {key: "k{i}", value: …}, times: 3}` an object, `{$text: […], atMost: 9}` one text of several.
 */
export function expand(template: unknown, counters: Counters = {}, atMost = 2 * maxBytes): unknown {
  return write(template, counters, { left: atMost });
}

interface Budget {
  left: number;
}

function write(template: unknown, counters: Counters, budget: Budget): unknown {
  if (typeof template === "string") {
    return repeated(fill(template, counters), { times: 1, join: "", budget });
  }
  if (Array.isArray(template)) return template.map((item) => write(item, counters, budget));
  if (typeof template !== "object" || template === null) return template;
  const written = template as Readonly<Record<string, unknown>>;
  if ("$repeat" in written) {
    const { $repeat, times, join = "" } = template as Repeat;
    if (typeof $repeat === "string" && !countsItself.test($repeat))
      return repeated(fill($repeat, counters), { times, join, budget });
    return range(times)
      .map((i) => String(write($repeat, { ...counters, i }, budget)))
      .join(join);
  }
  if ("$list" in written) {
    return range(Number(written["times"])).map((i) => write(written["$list"], { ...counters, i }, budget));
  }
  if ("$text" in written) {
    const { $text, atMost } = written as { readonly $text: unknown; readonly atMost?: number };
    return (write($text, counters, budget) as readonly unknown[]).join("").slice(0, atMost);
  }
  if ("$map" in written) return map(written, counters, budget);
  // An object of its own for each key, so that "__proto__" is one like any other.
  return fromEntries(Object.entries(written).map(([key, value]) => [key, write(value, counters, budget)]));
}

/** What is the same each time is written once: a template of 900 kB would hold the process that serves the cluster. */
const countsItself = /\{i(?::\d+)?\}/;

function repeated(
  text: string,
  { times, join, budget }: { readonly times: number; readonly join: string; readonly budget: Budget },
): string {
  budget.left -= text.length * times;
  if (budget.left < 0) throw new TooLarge("a template that expands to too much");
  return times === 0 ? "" : `${text}${join}`.repeat(times - 1) + text;
}

function map(written: Readonly<Record<string, unknown>>, counters: Counters, budget: Budget): unknown {
  const { key, value } = written["$map"] as { readonly key: unknown; readonly value: unknown };
  return fromEntries(
    range(Number(written["times"])).map((i) => {
      const at = { ...counters, i };
      return [String(write(key, at, budget)), write(value, at, budget)];
    }),
  );
}

/** Object.fromEntries defines the key "__proto__" as a plain field. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

function fill(text: string, counters: Counters): string {
  return text.replace(/\{([nei])(?::(\d+))?\}/g, (whole, name: string, width: string | undefined) => {
    const value = counters[name];
    return value === undefined ? whole : String(value).padStart(Number(width ?? 0), "0");
  });
}

const range = (times: number) => Array.from({ length: times }, (_, index) => index);
