// What the steps are made of.
import type { Installed } from "./installed.ts";
import type { Outcome } from "./outcomes.ts";
import type { Kubectl } from "./shell.ts";

/** What the steps are made of. */
export interface Planned {
  readonly installed: Installed;
  readonly outcomes: readonly Outcome[];
  /** HPAs that an autoscaler of ours manages. */
  readonly managed: Installed["hpas"];
  readonly kubectl: Kubectl;
  /** Where the first step saves what is there: of this plan alone, because a later one finds less. */
  readonly folder: string;
}
