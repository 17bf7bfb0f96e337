// What the parts of the engine have in common.
import type { CacheMeter, Clock, Logger } from "@plimsoll/component-base";
import type { EngineTelemetry } from "../../telemetry/prometheus.ts";

export interface EngineSeams {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  readonly meter?: CacheMeter | undefined;
}
