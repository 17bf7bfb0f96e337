// What takes part in a leader election, and what it shows.
import type { Clock } from "@plimsoll/component-base";
import type { KubeClient } from "../client/client.ts";
import type { Lease } from "./lease.ts";

/** Who takes part in the election by which lease. */
export interface ElectorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unlike that of any other candidate, unless candidates lead together: each of these renews the lease for itself. */
  readonly identity: string;
  /** Others may lead under the same identity, so the lease is not released: it expires. */
  readonly isShared?: true;
  /** How long other candidates wait for a leader that does not renew; 3 s by default. */
  readonly leaseDurationMs?: number;
  /** A leader that cannot renew within this time stops leading; shorter than the lease, 2.5 s by default. */
  readonly renewDeadlineMs?: number;
  /** From the beginning of a renewal to the next one, and between two looks of a candidate; 0.5 s by default. */
  readonly retryPeriodMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Annotations of the lease while this process owns it, as they are at each renewal. */
  readonly annotations?: (() => Readonly<Record<string, string>>) | undefined;
  /** Leadership begins. `lost` aborts when it ends; `term` grows from leader to leader. */
  readonly onStarted: (lost: AbortSignal, term: number) => void;
  /** Leadership has ended, before the lease has expired. The lease is released once this has resolved. */
  readonly onStopped?: () => void | Promise<void>;
  /** Another identity has the lease. Called once for each. */
  readonly onNewLeader?: (identity: string) => void;
  readonly onError?: (error: unknown) => void;
}

/** Takes part in the election of one leader, by a Lease object. */
export interface Elector {
  /** Whether this process may act as the leader now; never true once another may be. */
  readonly isLeader: boolean;
  /** Who owned the lease when it was last seen. */
  readonly leader: string | undefined;
  /** The lease as it was last seen, or written. */
  readonly lease: Lease | undefined;
  start(): void;
  /** Ends the leadership, releases the lease unless it is shared, and leaves. */
  stop(): Promise<void>;
}
