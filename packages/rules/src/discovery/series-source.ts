// Lists the series of a rule by the cheapest requests to Prometheus.
import {
  formatMatcher,
  type Labels,
  labelOf,
  oneOf,
  PrometheusError,
  selectorFacts,
  withMatchers,
} from "@plimsoll/prometheus";
import type { PrometheusRead } from "./prometheus-read.ts";

/**
 * Which series exist, by the cheapest requests. Label endpoints send a few bytes per metric name where /api/v1/series
 * sends every series with all its labels; that one is the fallback for selectors that cannot be extended and for
 * servers without the label endpoints. Results are cached, so one source serves one relist. Methods reject with
 * PrometheusError, or with the signal's reason.
 */
export interface SeriesSource {
  names(selector: string): Promise<readonly string[]>;
  /** For each of some labels, the names of the series that carry it. */
  namesWith(selector: string, labels: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  labels(selector: string): Promise<readonly string[]>;
  /** Of some series names, those that had a sample within the maximum age. */
  alive(names: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface SeriesSourceOptions {
  readonly prometheus: PrometheusRead;
  readonly nowMs: number;
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** For one relist, or one inspection. */
export function createSeriesSource(options: SeriesSourceOptions): SeriesSource {
  const lists = createLists(options);
  return {
    names: lists.names,
    labels: lists.labels,
    async namesWith(selector, wanted) {
      if (wanted.length === 0) return new Map();
      const facts = selectorFacts(selector);
      const { metricName } = facts;
      const uncertain = wanted.filter((label) => !facts.labels.has(label));
      if (metricName !== undefined) {
        const has = await labelsOfName(lists, { selector, metricName, uncertain });
        return new Map(wanted.map((label) => [label, has(label) ? [metricName] : []]));
      }
      const found = wanted.map(async (label) => {
        const names = uncertain.includes(label) ? lists.namesWith(selector, label) : lists.names(selector);
        return [label, await names] as const;
      });
      return new Map(await Promise.all(found));
    },
    async alive(names) {
      const named = formatMatcher(oneOf("__name__", names));
      const age = Math.max(1, Math.round(options.maxAgeMs));
      const promql = `count by (__name__) (last_over_time({${named}}[${age}ms]))`;
      const result = await options.prometheus.query(promql, { signal: options.signal });
      const samples = result.type === "vector" ? result.samples : [];
      return new Set(namesOf(samples.map((sample) => sample.labels)));
    },
  };
}

/** Of a rule with `live`, whose series are known by its text alone. */
export const statedSeries: SeriesSource = {
  names: async (selector) => namesIn(selector),
  namesWith: async (selector, labels) => new Map(labels.map((label) => [label, namesIn(selector)])),
  labels: async (selector) => [...selectorFacts(selector).labels],
  alive: async (names) => new Set(names),
};

function namesIn(selector: string): readonly string[] {
  const { metricName } = selectorFacts(selector);
  return metricName === undefined ? [] : [metricName];
}

/** Selects nothing. */
const none = "plimsoll:no_such_series";

/** Lists of names and labels, each requested once. */
interface Lists {
  names(selector: string): Promise<readonly string[]>;
  labels(selector: string): Promise<readonly string[]>;
  /** The names of the series that carry the label. */
  namesWith(selector: string, label: string): Promise<readonly string[]>;
}

function createLists({ prometheus, signal, nowMs, maxAgeMs }: SeriesSourceOptions): Lists {
  const range = { startMs: nowMs - maxAgeMs, signal };
  const known = new Map<string, Promise<readonly string[]>>();
  const knownSeries = new Map<string, Promise<readonly Labels[]>>();
  const once = (key: readonly string[], load: () => Promise<readonly string[]>): Promise<readonly string[]> =>
    cached(known, JSON.stringify(key), load);
  const series = (selector: string): Promise<readonly Labels[]> =>
    cached(knownSeries, selector, () => prometheus.series([selector], range));

  /** The cheap way, or the series themselves where the server does not have it. */
  const orSeries = async (
    selector: string,
    cheap: () => Promise<readonly string[]>,
    read: (all: readonly Labels[]) => readonly string[],
  ): Promise<readonly string[]> => {
    try {
      return await cheap();
    } catch (error) {
      if (!isMissingEndpoint(error)) throw error;
      return read(await series(selector));
    }
  };

  /** A server before Prometheus 2.24 gives the names of all its series, whatever the selector. */
  const checkedNames = async (selector: string): Promise<readonly string[]> => {
    const names = await prometheus.labelValues("__name__", [selector], range);
    const { metricName } = selectorFacts(selector);
    const isSelective =
      metricName === undefined
        ? names.length === 0 ||
          (await once(["none"], () => prometheus.labelValues("__name__", [none], range))).length === 0
        : names.every((name) => name === metricName);
    return isSelective ? names : namesOf(await series(selector));
  };

  return {
    names: (selector) =>
      once(["names", selector], () => orSeries(selector, () => checkedNames(selector), namesOf)),
    labels: (selector) =>
      once(["labels", selector], () =>
        orSeries(
          selector,
          () => prometheus.labelNames([selector], range),
          (all) => [...new Set(all.flatMap((one) => Object.keys(one)))],
        ),
      ),
    namesWith: (selector, label) =>
      once(["with", selector, label], async () => {
        const read = (all: readonly Labels[]): readonly string[] =>
          namesOf(all.filter((one) => (labelOf(one, label) ?? "") !== ""));
        const narrowed = withMatchers(selector, [{ label, operator: "!=", value: "" }]);
        if (narrowed === undefined) return read(await series(selector));
        return await orSeries(selector, () => checkedNames(narrowed), read);
      }),
  };
}

interface SeriesOfName {
  readonly selector: string;
  readonly metricName: string;
  /** Labels that the selector does not demand. */
  readonly uncertain: readonly string[];
}

/** Series of one name have a label or not: one list mostly decides for all labels. */
async function labelsOfName(
  lists: Lists,
  { selector, metricName, uncertain }: SeriesOfName,
): Promise<(label: string) => boolean> {
  const [only, ...others] = uncertain;
  if (others.length > 0) {
    const found = await lists.labels(selector);
    return (label) => found.includes(label);
  }
  // A series that has it also has what the selector demands.
  const hasIt = only !== undefined && (await lists.namesWith(selector, only)).includes(metricName);
  const exists = hasIt || (await lists.names(selector)).includes(metricName);
  return (label) => (label === only ? hasIt : exists);
}

function cached<T>(known: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const loading = load();
  known.set(key, loading);
  return loading;
}

function namesOf(all: readonly Labels[]): readonly string[] {
  const names = all.map((labels) => labelOf(labels, "__name__"));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** A proxy or an older server that has no such path, or keeps it to itself. */
function isMissingEndpoint(error: unknown): boolean {
  return error instanceof PrometheusError && [403, 404, 405, 501].includes(error.status ?? 0);
}
