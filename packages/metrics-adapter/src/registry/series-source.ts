import {
  type Labels,
  labelOf,
  type PrometheusClient,
  PrometheusError,
  selectorFacts,
  withMatchers,
} from "@plimsoll/prometheus";

/**
 * Which series there are, asked as cheaply as the question allows. Label endpoints answer in a few bytes per
 * metric name where /api/v1/series sends every series with all its labels; that one is the fallback for
 * selectors that cannot be extended and for servers without the label endpoints. Answers are kept, so one source
 * serves one relist.
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
  readonly prometheus: PrometheusClient;
  readonly nowMs: number;
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

export function createSeriesSource(options: SeriesSourceOptions): SeriesSource {
  const { prometheus, signal } = options;
  const range = { startMs: options.nowMs - options.maxAgeMs, signal };
  const answers = new Map<string, Promise<readonly string[]>>();
  const lists = new Map<string, Promise<readonly Labels[]>>();

  const series = (selector: string): Promise<readonly Labels[]> =>
    remember(lists, selector, () => prometheus.series([selector], range));

  const once = (key: readonly string[], ask: () => Promise<readonly string[]>): Promise<readonly string[]> =>
    remember(answers, JSON.stringify(key), ask);

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

  const names = (selector: string): Promise<readonly string[]> =>
    once(["names", selector], () =>
      orSeries(selector, () => prometheus.labelValues("__name__", [selector], range), namesOf),
    );

  const labels = (selector: string): Promise<readonly string[]> =>
    once(["labels", selector], () =>
      orSeries(
        selector,
        () => prometheus.labelNames([selector], range),
        (all) => [...new Set(all.flatMap((one) => Object.keys(one)))],
      ),
    );

  const narrowed = (selector: string, label: string): Promise<readonly string[]> =>
    once(["with", selector, label], async () => {
      const read = (all: readonly Labels[]): readonly string[] =>
        namesOf(all.filter((one) => (labelOf(one, label) ?? "") !== ""));
      const text = withMatchers(selector, [{ label, operator: "!=", value: "" }]);
      if (text === undefined) return read(await series(selector));
      return await orSeries(selector, () => prometheus.labelValues("__name__", [text], range), read);
    });

  /** Series of one name have a label or not: one list mostly answers for all labels. */
  const labelsOfName = async (
    selector: string,
    metricName: string,
    uncertain: readonly string[],
  ): Promise<(label: string) => boolean> => {
    const [only, ...others] = uncertain;
    if (only !== undefined && others.length === 0) {
      // Whoever has it has what the selector demands, too.
      const hasIt = (await narrowed(selector, only)).includes(metricName);
      const exists = hasIt || (await names(selector)).includes(metricName);
      return (label) => (label === only ? hasIt : exists);
    }
    if (only === undefined) {
      const exists = (await names(selector)).includes(metricName);
      return () => exists;
    }
    const found = await labels(selector);
    return (label) => found.includes(label);
  };

  return {
    names,
    labels,
    async namesWith(selector, wanted) {
      if (wanted.length === 0) return new Map();
      const facts = selectorFacts(selector);
      const { metricName } = facts;
      const uncertain = wanted.filter((label) => !facts.labels.has(label));
      if (metricName !== undefined) {
        const has = await labelsOfName(selector, metricName, uncertain);
        return new Map(wanted.map((label) => [label, has(label) ? [metricName] : []]));
      }
      const lists = wanted.map(async (label) => {
        const list = uncertain.includes(label) ? narrowed(selector, label) : names(selector);
        return [label, await list] as const;
      });
      return new Map(await Promise.all(lists));
    },
    async alive(names) {
      const pattern = names.join("|");
      const age = Math.max(1, Math.round(options.maxAgeMs));
      const promql = `count by (__name__) (last_over_time({__name__=~"${pattern}"}[${age}ms]))`;
      const result = await prometheus.query(promql, { signal });
      const samples = result.type === "vector" ? result.samples : [];
      return new Set(namesOf(samples.map((sample) => sample.labels)));
    },
  };
}

function remember<T>(answers: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = ask();
  answers.set(key, answer);
  return answer;
}

function namesOf(all: readonly Labels[]): readonly string[] {
  const names = all.map((labels) => labelOf(labels, "__name__"));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** A proxy or an older server that has no such path, or keeps it to itself. */
function isMissingEndpoint(error: unknown): boolean {
  return error instanceof PrometheusError && [403, 404, 405, 501].includes(error.status ?? 0);
}
