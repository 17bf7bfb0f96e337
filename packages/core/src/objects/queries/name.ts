// The names of a query: what a person reads, and what the metrics API is asked for.

/** What the values of a query depend on. */
export interface QueryContent {
  readonly promql: unknown;
  readonly source: unknown;
  readonly podLabel: unknown;
  /** Absent: Prometheus gives them. */
  readonly live?: unknown;
}

const marker = "@query.";
const pattern = /^(.+)@query\.[0-9a-f]{16}$/;

/** How an entry of spec.metrics is shown. */
export function queryLabel(index: number): string {
  return `query[${index}]`;
}

/**
 * The name under which the metrics API serves a query of an object, such as `shop@query.0f3a…`. No object and no
 * MetricRule can have it, because of the `@`. It is made of what the query says and not of its position: whoever asks
 * for a query gets its own values or none, whatever was edited, moved, deleted or created again in between.
 */
export function queryName(owner: string, { promql, source, podLabel, live }: QueryContent): string {
  const content = [promql, source, podLabel, ...(live === undefined ? [] : [live])];
  return `${owner}${marker}${hash(JSON.stringify(content))}`;
}

/** Whether a metric's name is one of `queryName`. */
export function isQueryName(name: string): boolean {
  return name.includes(marker) && pattern.test(name);
}

/** The object that a name belongs to. */
export function queryOwner(name: string): string | undefined {
  return pattern.exec(name)?.[1];
}

/** 64 bits as hexadecimal digits; the object's author is the only one who could gain by two of the same. */
function hash(text: string): string {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x5bd1e995) ^ (high >>> 15);
  }
  return digits(mixed(high ^ (low >>> 13))) + digits(mixed(low ^ Math.imul(high, 0xc2b2ae35)));
}

function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

function digits(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
