// The flags of `explain`, as commander hands them over.
import type { ClusterFlags } from "../../cluster/flags.ts";
import type { SettingFlags } from "../../decisions/settings-flags.ts";

export interface ExplainFlags extends ClusterFlags, SettingFlags {
  readonly whyNot?: string;
  readonly steps?: boolean;
  readonly full?: boolean;
  readonly at?: string;
  readonly back?: string;
  readonly diff?: boolean;
  readonly settle?: boolean;
  readonly failOnDifference?: boolean;
}
