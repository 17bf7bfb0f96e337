import { type Clock, systemClock } from "@plimsoll/component-base";
import type { CliSeams } from "./seams.ts";

/** The clock for waiting; its time is that of the command. */
export function clockOf({ clock, nowMs }: Pick<CliSeams, "clock" | "nowMs">): Clock {
  return clock ?? { ...systemClock, nowMs };
}
