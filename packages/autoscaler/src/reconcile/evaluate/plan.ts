// The plan of one evaluation: decision, status and events to write.
import type { DecideInput, DecideResult, DecisionEvent, HpaMemory } from "@plimsoll/core";
import type { Ownership } from "../../objects/ownership.ts";
import type { Conflict } from "../conflicts/conflict.ts";
import type { Observation } from "../observe.ts";
import type { Held } from "./held.ts";

/** A scale that is not made; with `isUncertain` the server may have made it all the same. */
export interface ScaleFailure {
  readonly message: string;
  readonly isUncertain?: boolean;
}

/** What is to be done about one observation. */
export interface Plan {
  readonly observation: Observation;
  readonly mode: Ownership;
  /** What other writers of the object mean. */
  readonly conflict: Conflict;
  /** What core was given. */
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  /** What core decided. */
  readonly decided: DecideResult;
  /** Why the replicas are not written though core decided so. */
  readonly failure: ScaleFailure | undefined;
  /** The decision as it turns out, with the status that the object shows. */
  readonly result: DecideResult;
  /** Replicas to write; undefined: none. */
  readonly scaleTo: number | undefined;
  /** What becomes of the decision if no replicas are written. */
  readonly outcome: "nothing-to-do" | "shadow" | "withheld";
  readonly events: readonly DecisionEvent[];
  /** What holds the replicas, and the event that said so last. */
  readonly held: Held;
  readonly writesStatus: boolean;
}
