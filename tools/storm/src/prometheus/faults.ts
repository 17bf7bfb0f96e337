// What can happen to the simulated Prometheus.
import type { Random } from "../random/random.ts";
import type { Series } from "./series.ts";
import type { Target } from "./target.ts";

/** What becomes of a request to Prometheus. */
export type PrometheusFate =
  /** Its connection is refused. */
  | { readonly type: "refused" }
  /** Nothing comes, until its sender gives up. */
  | { readonly type: "silent" }
  /** It is evaluated at once, and the response comes late. */
  | { readonly type: "slow"; readonly ms: number }
  | { readonly type: "status"; readonly code: number };

/** Whether the scrape of a target fails. */
export type ScrapeLoss = boolean | "unseen";

/** A fault while it is in place. */
export interface PrometheusFault {
  /** `random` belongs to the request; `process` sends it. */
  readonly ofRequest?: (random: Random, process: string) => PrometheusFate | undefined;
  /** Series that responses leave out, with a warning. */
  readonly leavesOut?: (series: Series) => boolean;
  /** "unseen": Prometheus itself was away, so that it does not say that the target was. */
  readonly losesScrape?: (target: Target) => ScrapeLoss;
  /** What a target exports instead of a value. */
  readonly exported?: (series: Series, value: number) => number;
}

/** All that are in place. */
export interface PrometheusFaults {
  readonly set: ReadonlySet<PrometheusFault>;
  add(fault: PrometheusFault): () => void;
  fateOf(random: Random, process: string): PrometheusFate | undefined;
  leftOut(): ((series: Series) => boolean) | undefined;
  lossOf(target: Target): ScrapeLoss;
  exported(series: Series, value: number): number;
}

export function createPrometheusFaults(): PrometheusFaults {
  const set = new Set<PrometheusFault>();
  return {
    set,
    add(fault) {
      set.add(fault);
      return () => void set.delete(fault);
    },
    fateOf(random, process) {
      for (const { ofRequest } of set) {
        const fate = ofRequest?.(random, process);
        if (fate !== undefined) return fate;
      }
      return undefined;
    },
    leftOut() {
      const partial = [...set].filter(({ leavesOut }) => leavesOut !== undefined);
      return partial.length === 0
        ? undefined
        : (series) => partial.some(({ leavesOut }) => leavesOut?.(series) === true);
    },
    lossOf(target) {
      let loss: ScrapeLoss = false;
      for (const { losesScrape } of set) {
        const one = losesScrape?.(target) ?? false;
        if (one === "unseen") return one;
        loss ||= one;
      }
      return loss;
    },
    exported(series, value) {
      let given = value;
      for (const fault of set) given = fault.exported?.(series, given) ?? given;
      return given;
    },
  };
}
