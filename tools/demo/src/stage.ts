// What a run of the demo is given.
import type { ChildOptions } from "@plimsoll/testbed";
import type { DemoOptions } from "./options.ts";
import type { Scenario } from "./scenario.ts";
import type { Screen } from "./screen.ts";

/** How it is run. */
export interface DemoRun extends DemoOptions {
  /** Empty; the caller removes it. */
  readonly folder: string;
  /** The Prometheus program. */
  readonly prometheus: string;
  readonly out: NodeJS.WriteStream;
  /** Ends the demo early; its reason is an Interrupted. */
  readonly signal: AbortSignal;
  readonly onSpawn: ChildOptions["onSpawn"];
}

/** The same, with its load and where it shows itself. */
export interface Stage {
  readonly run: DemoRun;
  readonly scenario: Scenario;
  readonly screen: Screen;
}
