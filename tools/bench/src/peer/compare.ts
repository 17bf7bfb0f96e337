// Compares two responses to one request, and finds the row of docs/compatibility.md that states their difference.
import type { AdapterResponse } from "../adapter/adapters.ts";

/** A difference that docs/compatibility.md states, by the words of its row. */
interface Stated {
  readonly row: string;
  covers(difference: Difference): boolean;
}

export interface Difference {
  readonly path: string;
  readonly ours: Comparable;
  readonly theirs: Comparable;
}

interface Comparable {
  readonly code: number;
  /** Canonical JSON without instants and windows; the values of rates are left out, as time goes on between two calls. */
  readonly body: string;
}

const rates = /http_requests|cpu_usage|fs_reads|per_second/;

/** undefined where both responses mean the same. */
export function compare(
  path: string,
  ours: AdapterResponse,
  theirs: AdapterResponse,
): Difference | undefined {
  const difference = { path, ours: comparable(path, ours), theirs: comparable(path, theirs) };
  const same =
    difference.ours.code === difference.theirs.code && difference.ours.body === difference.theirs.body;
  return same ? undefined : difference;
}

/** The row of docs/compatibility.md that states the difference; undefined when none does. */
export function statedBy(difference: Difference): string | undefined {
  return stated.find((row) => row.covers(difference))?.row;
}

function comparable(path: string, response: AdapterResponse): Comparable {
  const left = new Set(["timestamp", "creationTimestamp", "window", "windowSeconds"]);
  if (rates.test(path)) left.add("value");
  if (path.startsWith("/apis/metrics.k8s.io")) left.add("cpu").delete("window");
  try {
    const parsed: unknown = JSON.parse(response.body, (key, value) => (left.has(key) ? undefined : value));
    return { code: response.code, body: JSON.stringify(sorted(parsed)) };
  } catch {
    return { code: response.code, body: response.body };
  }
}

/** Keys, and members of lists, in one order: neither server promises any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

const stated: readonly Stated[] = [
  {
    row: "A selector that matches no object: 404 that says so",
    covers: codes(404, 404, /match the selector/),
  },
  {
    row: "NaN and ±Inf of an object are missing: left out of lists, 404 with the cause for one object",
    covers: codes(404, 404, /: it has no series/),
  },
  {
    row: "`!=` in a metric selector is echoed as NotIn",
    covers: (d) => codes(200, 500, /"operator":"NotIn"/)(d) && d.path.includes("!%3D"),
  },
  { row: "A malformed selector: 400 on every API", covers: codes(400, 500, /unable to parse requirement/) },
  {
    row: "A metric selector with another namespace, `<`, `>`, or an invalid label: 400",
    covers: (d) =>
      d.ours.code === 400 && /excludes the request's namespace|cannot be used for metrics/.test(d.ours.body),
  },
  {
    row: "`/apis` has v1beta2 before v1beta1",
    covers: (d) => d.path === "/apis" || d.path === "/apis/custom.metrics.k8s.io",
  },
  {
    row: "An unknown external metric: the same text in every namespace",
    covers: (d) => d.path.includes("/namespaces/default/") && d.theirs.body.includes("for namespaces"),
  },
  { row: "An unknown path: 404 with a Status", covers: (d) => d.theirs.body.startsWith('{"paths":') },
  {
    row: "A resource that the cluster lacks: 404",
    covers: codes(404, 500, /the server could not find the metric/),
  },
  {
    row: "An external path with `*` or without a namespace: 400, 404",
    covers: codes(400, 200, /is not a namespace name/),
  },
  {
    row: "Of any other container only the half reading is left out",
    covers: (d) =>
      d.path.startsWith("/apis/metrics.k8s.io/") && withoutInit(d.ours.body) === withoutInit(d.theirs.body),
  },
  {
    row: "`<<.Series>>`, `<<.GroupBy>>`, `<<.LabelMatchers>>` and selectors quote names that need it",
    covers: (d) =>
      codes(200, 500, /"metricName":"messages\.held"/)(d) || codes(404, 500, /messages\.held/)(d),
  },
];

/** The usage of containers that are not called init. */
function withoutInit(body: string): string {
  const isInit = (one: unknown): boolean =>
    typeof one === "object" && one !== null && "name" in one && one.name === "init";
  return JSON.stringify(
    JSON.parse(body, (_, value: unknown) =>
      Array.isArray(value) ? value.filter((one) => !isInit(one)) : value,
    ),
  );
}

function codes(ours: number, theirs: number, body: RegExp) {
  return (d: Difference) => d.ours.code === ours && d.theirs.code === theirs && body.test(d.ours.body);
}
