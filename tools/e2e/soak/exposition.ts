// What the soak reads of /metrics.

export interface Scrape {
  readonly series: number;
  /** The same without targets of others: an object may outlive what it scales. */
  readonly owners: ReadonlySet<string>;
  /** Every value of every label, once. */
  readonly labelValues: ReadonlySet<string>;
  /** When each object was decided on last, by its name, as the process has it. */
  readonly decidedAt: ReadonlyMap<string, number>;
  /** Counters of exceptions that were caught, by name, together over their labels. */
  readonly crashes: ReadonlyMap<string, number>;
}

const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

export function readScrape(exposition: string): Scrape {
  const labelValues = new Set<string>();
  const owners = new Set<string>();
  const decidedAt = new Map<string, number>();
  const crashes = new Map<string, number>();
  let series = 0;
  for (const line of exposition.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    series += 1;
    const name = /^[^{ ]+/.exec(line)?.[0] ?? "";
    const value = Number(line.slice(line.lastIndexOf(" ") + 1));
    const labels = new Map([...line.matchAll(labelPattern)].map(([, key = "", text = ""]) => [key, text]));
    for (const [key, text] of labels) {
      labelValues.add(text);
      if (key !== "scaletargetref_name") owners.add(text);
    }
    if (name.endsWith("_last_decision_timestamp_seconds"))
      decidedAt.set(labels.get("horizontalpodautoscaler") ?? "", value);
    if (/_crashed_\w+_total$/.test(name)) crashes.set(name, (crashes.get(name) ?? 0) + value);
  }
  return { series, owners, labelValues, decidedAt, crashes };
}
