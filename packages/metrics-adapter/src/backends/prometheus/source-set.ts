// The sources of the configuration, opened; others may take their places while the process runs.
import type { CacheMeter, Clock, Logger } from "@plimsoll/component-base";
import { defaultSource } from "@plimsoll/rules";
import type { EngineTelemetry } from "../../telemetry/prometheus.ts";
import { createScrapeIntervalCheck } from "./catalog/scrape-interval.ts";
import { type OpenSource, openSource } from "./open-source.ts";
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
  /** A source that is the same object as before keeps its caches, its circuit and its queries in flight. */
  use(sources: Sources): void;
}

export interface SourceSetOptions extends Sources {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  readonly meter?: CacheMeter | undefined;
}

export function createSourceSet(options: SourceSetOptions): SourceSet {
  const names = new Set<string>();
  // What still is in flight for a source that is gone would make its metrics again.
  const telemetry: EngineTelemetry = {
    ...options.telemetry,
    prometheusRequest(request) {
      if (names.has(request.source)) options.telemetry.prometheusRequest(request);
    },
  };

  const open = (name: string, source: Source): EngineSource => {
    const { clock, log, meter } = options;
    const opened = openSource(name, source, { clock, log, telemetry, meter });
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

  let current = openAll(options, []);
  for (const { name } of current) names.add(name);
  return {
    current: () => current,
    get: (name) => current.find((one) => one.name === name)?.source,
    use(next) {
      current = openAll(next, current);
      const removed = [...names].filter((name) => !current.some((one) => one.name === name));
      for (const { name } of current) names.add(name);
      for (const name of removed) {
        names.delete(name);
        options.telemetry.forgetSource(name);
      }
    },
  };
}
