// The flags of the command `plimsoll console`.
import type { ClusterFlags } from "../../cluster/flags.ts";

export interface ConsoleFlags extends ClusterFlags {
  readonly port: string;
  /** False with --no-open. */
  readonly open: boolean;
  readonly idle: string;
  readonly prometheusUrl?: string;
}
