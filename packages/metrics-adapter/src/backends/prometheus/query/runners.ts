// Chooses the runner of a rule by its source, and shares the requests in flight among the sources.
import type { Awaitable } from "@plimsoll/component-base";
import { PrometheusError } from "@plimsoll/prometheus";
import { sourceOf } from "@plimsoll/rules";
import { failed, type Outcome, ok } from "../providers/outcome.ts";
import type { PrepareQuery } from "./prepared-query.ts";
import type { QueryRunner } from "./runner.ts";

/** The runners of all sources. */
export interface Runners {
  /** Prepares a query for whichever source. */
  readonly prepare: PrepareQuery;
  /** @param namespace Of the caller; undefined where it queries the whole cluster. */
  of(rule: RuleSource, namespace: string | undefined): Outcome<QueryRunner>;
  /** Other sources from now on; queries that have begun end where they began. */
  use(sources: readonly NamedRunner[]): void;
}

/** What of a rule names its source. */
export interface RuleSource {
  readonly source: string | undefined;
}

export interface NamedRunner {
  readonly name: string;
  readonly runner: QueryRunner;
  readonly serves?: ((namespace: string) => boolean) | undefined;
}

/** @param maxRequests Of all sources together, as many as the server accepts at a time. */
export function createRunners(
  first: NamedRunner,
  others: readonly NamedRunner[],
  maxRequests: number,
): Runners {
  const share = createShare(maxRequests);
  let byName: ReadonlyMap<string, NamedRunner> = new Map();
  const use = (sources: readonly NamedRunner[]): void => {
    const limit =
      sources.length === 1 ? (one: NamedRunner): QueryRunner => one.runner : share(sources.length);
    byName = new Map(sources.map((one) => [one.name, { ...one, runner: limit(one) }]));
  };
  use([first, ...others]);
  return {
    prepare: first.runner.prepare,
    use,
    of(rule, namespace) {
      const name = sourceOf(rule);
      const found = byName.get(name);
      if (found === undefined)
        return failed("Unavailable", `unable to fetch metrics: no source ${name}`, {
          retryAfterSeconds: 1,
        });
      const { runner, serves } = found;
      if (serves === undefined || (namespace !== undefined && serves(namespace))) return ok(runner);
      const whom = namespace === undefined ? "requests without a namespace" : `the namespace ${namespace}`;
      return failed("BadRequest", `the source ${name} does not serve ${whom}`);
    },
  };
}

/**
 * Of the requests that wait, half may be of one source. The other half is shared equally, so that a source that does
 * not respond leaves the others their part, whatever is sent to it.
 */
function createShare(maxRequests: number): (sources: number) => (named: NamedRunner) => QueryRunner {
  const half = Math.floor(maxRequests / 2);
  const known = new WeakMap<QueryRunner, QueryRunner>();
  let own = half;
  let all = 0;
  const limited = ({ name, runner }: NamedRunner): QueryRunner => {
    let waiting = 0;
    const leave = (): void => {
      all -= 1;
      waiting -= 1;
    };
    const counted = <T>(start: () => Awaitable<T>): Awaitable<T> => {
      // Not thrown: who starts several and waits for all of them would leave the first ones alone.
      if (waiting >= own && all >= half) return Promise.reject(new SourceBusyError(name, waiting));
      const ran = start();
      if (!(ran instanceof Promise)) return ran;
      all += 1;
      waiting += 1;
      return ran.finally(leave).catch((error: unknown) => {
        throw named(error, name);
      });
    };
    const { ofRules } = runner;
    return {
      ...runner,
      ofRules: { ...ofRules, get: (query) => counted(() => ofRules.get(query)) },
      run: (query, part) => counted(() => runner.run(query, part)),
    };
  };
  return (sources) => {
    own = Math.max(1, Math.floor(half / sources));
    return (named) => {
      const made = known.get(named.runner) ?? limited(named);
      known.set(named.runner, made);
      return made;
    };
  };
}

/** With the name of the source, which its client does not know. */
function named(error: unknown, source: string): unknown {
  if (!(error instanceof PrometheusError) || error.source !== undefined) return error;
  const { kind, message, status, retryAfterMs } = error;
  return new PrometheusError(kind, message, { status, retryAfterMs, source, cause: error });
}

/** Too many requests wait for one source. */
export class SourceBusyError extends Error {
  override readonly name = "SourceBusyError";

  constructor(source: string, waiting: number) {
    super(`${waiting} requests are already waiting for source ${source}`);
  }
}
