// The flags of `status`, as commander hands them over, and what they select.
import type { SummarySort } from "@plimsoll/decisions";
import type { ClusterFlags } from "../../cluster/flags.ts";
import type { SettingFlags } from "../../decisions/settings-flags.ts";

export interface StatusFlags extends ClusterFlags, SettingFlags {
  readonly watch?: boolean;
  readonly problem?: boolean;
  readonly sortBy: SummarySort;
  readonly since?: string;
  readonly limit: string;
}

/** What the flags select. */
export interface StatusQuery {
  readonly limit: number;
  readonly sinceMs: number | undefined;
  readonly isProblem: boolean;
  readonly sortBy: SummarySort;
}
