// The text format of Prometheus, for the series that are written straight from what is kept of objects.
import { createHash } from "node:crypto";
import { cutText } from "@plimsoll/core/redact";

/** One label with its value. */
export function labelText(name: string, value: string): string {
  const shown = value.length > maxLabelLength ? shortLabel(value) : value;
  return `${name}="${/[\\\n"]/.test(shown) ? escaped(shown) : shown}"`;
}

/** The name of a metric may be as long as its object. */
const maxLabelLength = 1_024;

/** With a hash: two that begin alike stay two series. */
function shortLabel(value: string): string {
  const hash = createHash("sha256").update(value).digest("hex").slice(0, 16);
  return cutText(value, maxLabelLength - hash.length) + hash;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

/** How many characters a slice has at least, but the last. */
const sliceLength = 32_768;
/** Objects that are looked at for one slice at most: there may be nothing to write of them. */
const objectsPerSlice = 1000;

/** One family of gauges. */
export interface Family<T> {
  readonly name: string;
  readonly help: string;
  /** Adds the lines of one object; `labels` are all that a sample has. */
  readonly write: (one: T, add: (value: number, labels: string) => void) => void;
}

/** The text of a family, slice by slice; a slice may be empty. */
export function* familySlices<T>({ name, help, write }: Family<T>, all: Iterable<T>): Generator<string> {
  let text = `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
  let left = objectsPerSlice;
  const add = (value: number, labels: string): void => {
    text += `${name}{${labels}} ${value}\n`;
  };
  for (const one of all) {
    write(one, add);
    left--;
    if (left > 0 && text.length < sliceLength) continue;
    yield text;
    text = "";
    left = objectsPerSlice;
  }
  yield `${text}\n`;
}
