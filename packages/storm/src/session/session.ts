// What a session of runs is given from outside.
import type { Parts } from "../run/parts.ts";
import type { DrawOptions } from "../scenario/draw.ts";
import type { Status } from "../supervisor/status.ts";
import type { Watchdog } from "../watchdog/watchdog.ts";

/** Where a session prints, what ends it, and what its worlds are made from. */
export interface Session {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly parts: Parts;
  readonly drawSetup: DrawOptions["drawSetup"];
  /** Interrupts steps that never end. */
  readonly watchdog?: Watchdog;
  /** Gets what happens, for the process that supervises this one. */
  readonly report?: (status: Status) => void;
}
