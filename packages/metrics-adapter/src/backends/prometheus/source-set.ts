// The sources of the configuration, opened; others may take their places while the process runs.
import { defaultSource } from "@plimsoll/rules";
import type { EngineTelemetry } from "../../telemetry/prometheus.ts";
import { createScrapeIntervalCheck } from "./catalog/scrape-interval.ts";
import { type OpenSource, openSource, type SourceSeams } from "./open-source.ts";
import { createResponseBudgets } from "./query/response-budgets.ts";
import type { Source } from "./source.ts";

/** The source of rules that name none, and the others by their names. */
export interface Sources {
  readonly source: Source;
  readonly sources?: ReadonlyMap<string, Source> | undefined;
}

/** A source with its limits, caches and circuit. */
export interface EngineSource extends OpenSource {
  readonly name: string;
  readonly source: Source;
  readonly prometheus: OpenSource["discovery"];
  readonly onRelisted?: (signal: AbortSignal) => Promise<void>;
  readonly serves: Source["serves"];
}

/** At least one: the default is the first. */
export type OpenSources = readonly [EngineSource, ...EngineSource[]];

export interface SourceSet {
  current(): OpenSources;
  /** By its name; undefined: there is none. */
  get(name: string): Source | undefined;
  /**
   * A source that is the same object as before keeps its caches, its circuit and its queries in flight. One that is not
   * among them any more, and that is needed, stays until it is dropped.
   */
  use(sources: Sources, needed: ReadonlySet<string>): void;
  /** Drops what stayed and is not needed. @returns whether anything was dropped */
  drop(needed: ReadonlySet<string>): boolean;
}

export interface SourceSetOptions extends Sources, Omit<SourceSeams, "budgets"> {}

export function createSourceSet(options: SourceSetOptions): SourceSet {
  const names = new Set<string>();
  const budgets = createResponseBudgets(options.clock);
  // What still is in flight for a source that is gone would make its metrics again.
  const telemetry: EngineTelemetry = {
    ...options.telemetry,
    prometheusRequest(request) {
      if (names.has(request.source)) options.telemetry.prometheusRequest(request);
    },
  };

  const open = (name: string, source: Source): EngineSource => {
    const { log } = options;
    const opened = openSource(name, source, { ...options, telemetry, budgets });
    const { resultMaxAgeMs, serves } = source;
    const prometheus = opened.discovery;
    const part = { ...opened, name, source, prometheus, serves };
    // Nothing is listed of a server that has a tenant for each namespace.
    if (source.isByNamespace === true) return part;
    const onRelisted = createScrapeIntervalCheck({ log, telemetry, prometheus, resultMaxAgeMs });
    return { ...part, onRelisted };
  };

  const openAll = ({ source, sources }: Sources, before: readonly EngineSource[]): OpenSources => {
    const keep = (name: string, one: Source): EngineSource =>
      before.find((known) => known.source === one && known.name === name) ?? open(name, one);
    return [keep(defaultSource, source), ...[...(sources ?? [])].map(([name, one]) => keep(name, one))];
  };

  let given: Sources = options;
  let current = openAll(options, []);
  for (const { name } of current) names.add(name);
  const use: SourceSet["use"] = (next, needed) => {
    given = next;
    const opened = openAll(next, current);
    const isGone = ({ name }: EngineSource): boolean => !opened.some((one) => one.name === name);
    current = [...opened, ...current.filter((one) => isGone(one) && needed.has(one.name))];
    const removed = [...names].filter((name) => !current.some((one) => one.name === name));
    for (const { name } of current) names.add(name);
    for (const name of removed) {
      names.delete(name);
      options.telemetry.forgetSource(name);
    }
  };
  return {
    current: () => current,
    get: (name) => current.find((one) => one.name === name)?.source,
    use,
    drop(needed) {
      const before = current.length;
      if (before > 1 + (given.sources?.size ?? 0)) use(given, needed);
      return current.length < before;
    },
  };
}
