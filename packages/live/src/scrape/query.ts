// What a live query is, what it gives, and what is needed for it.
import type { Clock } from "@plimsoll/component-base";
import type { InstantResult } from "@plimsoll/prometheus";
import type { Plan, Selector } from "../evaluate/plan.ts";
import type { LiveSeries } from "../evaluate/series.ts";
import type { PageFetcher } from "./http.ts";
import type { PaceLimits } from "./pace.ts";
import type { Found, Pages } from "./rounds.ts";

/** A query over the pages of pods. The same object for as long as nothing of it changes. */
export interface LiveQuery {
  readonly namespace: string;
  readonly plan: Plan;
  /** Queries with the same one share the scrapes. */
  readonly group: string;
  readonly intervalMs: number;
  /** Its selectors keep all that this query reads; absent: its own do. Queries with the same one are scraped as one. */
  readonly whole?: LiveQuery | undefined;
  /** Whether labels of the pages win over those of the pods, but for `pod` [false]. The same in all of the group. */
  readonly honorsLabels?: boolean | undefined;
  /** The namespace whose budget pays for evaluations; absent: that of the pods. */
  readonly payer?: string | undefined;
  /** The pods at this moment. Never rejects. */
  readonly find: () => Promise<Found>;
}

/** A result, which is in use until the next round has ended. */
export type LiveResult =
  | { readonly ok: true; readonly result: InstantResult; readonly isNewest: () => boolean }
  | { readonly ok: false; readonly message: string; readonly isNewest: () => boolean };

/** The samples of the pods of one group. */
export interface Window extends Pages {
  /** What the queries of the group read: series that none of them wants are not kept. */
  want(plans: readonly Plan[]): void;
  seriesOf(selector: Selector): readonly LiveSeries[];
  close(): void;
}

export interface LiveMetricsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly fetcher: PageFetcher;
  readonly openWindow: (first: Pick<LiveQuery, "namespace" | "honorsLabels">) => Window;
  readonly minIntervalMs: number;
  readonly pace: PaceLimits;
  readonly onScraped?: ((outcome: "ok" | "failed") => void) | undefined;
}
