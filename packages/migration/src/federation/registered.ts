// What stands behind the metrics APIs, as values.
import type { ApiService } from "../release/installed.ts";

/** Everything that a plan is made of. */
export interface Registered {
  /** Of the groups that can be federated. */
  readonly apiServices: readonly ApiService[];
  /** Names of those whose adapter lists metrics; others list a placeholder, or do not respond. */
  readonly listing: ReadonlySet<string>;
  readonly adapter: InstalledAdapter;
}

/** Our adapter. */
export interface InstalledAdapter {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly args: readonly string[];
  readonly serviceAccount: string;
  /** Of Helm; undefined: it was applied otherwise. */
  readonly release: string | undefined;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** What our own APIServices have; undefined where there is none, or none with a CA. */
  readonly caBundle: string | undefined;
  /** As cert-manager is asked for it; undefined: it is not. */
  readonly injectsCaFrom: string | undefined;
}
