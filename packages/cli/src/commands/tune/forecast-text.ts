// Next week's floors as words.
import type { FloorForecast } from "@plimsoll/backtest";

/** A line with how good such floors were, and one for each schedule. */
export function forecastTexts(forecast: FloorForecast): readonly string[] {
  if (!forecast.ok) return [`FORECAST    none: ${forecast.message}`];
  const { quantile, grouping, loss, lossOfWeekBefore, schedules } = forecast;
  const by = grouping === "weekday" ? "by weekday" : "by weekdays and weekend";
  return [
    `FORECAST    next week's floors, quantile ${quantile} ${by}: pinball loss ${loss.toFixed(2)} pods, as the week before ${lossOfWeekBefore.toFixed(2)}`,
    ...schedules.map(
      ({ name, start, end, duration, timeZone, minReplicas, ramp }) =>
        `            ${name}: at least ${minReplicas ?? 0} from "${start}" to "${end ?? duration ?? ""}"${ramp === undefined ? "" : `, ramp ${ramp.over}`} (${timeZone})`,
    ),
  ];
}
