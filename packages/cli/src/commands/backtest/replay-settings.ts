// How the controller of a recording is configured.
import type { ControllerOptions } from "@plimsoll/core";
import type { Autoscaler } from "@plimsoll/simulator";

/** Its own tuning is above what the controller is configured with; the rules are always those of the controller. */
export function withSettings(autoscaler: Autoscaler, settings: Partial<ControllerOptions>): Autoscaler {
  const { semantics } = settings;
  const own = { ...settings, ...autoscaler.options };
  return { ...autoscaler, options: semantics === undefined ? own : { ...own, semantics } };
}
