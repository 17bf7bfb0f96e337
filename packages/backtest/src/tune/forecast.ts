// Next week's floors out of the weeks before, with how good such floors were.
import { zoneOffset } from "@plimsoll/core/schedules";
import { wholeDays } from "./days.ts";
import { type FloorSource, floorsOf } from "./floors.ts";
import type { FloorForecast } from "./report.ts";
import type { TuneRequest } from "./request.ts";
import { chosenGrouping, currentLevel, podsOf, profileOf, seasonalDays, weekBeforeLoss } from "./seasonal.ts";
import { floorSchedules, floorsOfWeek } from "./seasonal-floors.ts";
import { floorDays } from "./split.ts";
import { autoscalerOfToday } from "./today.ts";

/** What a forecast depends on. */
export type ForecastRequest = Pick<
  TuneRequest,
  "recording" | "autoscaler" | "inferred" | "periodMs" | "timeZone"
> & {
  /** Part of the weeks in which the floor is enough, 0–1; 0.9 when absent. */
  readonly quantile?: number;
};

const usualQuantile = 0.9;

/** Needs three whole weeks. */
export function forecastFloors({ quantile = usualQuantile, ...request }: ForecastRequest): FloorForecast {
  const { recording, inferred, timeZone } = request;
  const offset = zoneOffset(timeZone);
  if (offset === undefined)
    return no(`timeZone ${timeZone} is not a time zone: use a value such as Europe/Berlin`);
  if (!(quantile >= 0 && quantile <= 1)) return no(`quantile ${quantile} must be from 0 to 1`);
  const { days } = wholeDays(recording, inferred, offset);
  if (days.length < floorDays) {
    return no(
      `the recording has ${days.length} whole days in ${timeZone}, but floors need ${floorDays}: record a longer time`,
    );
  }
  const autoscaler = autoscalerOfToday(recording, request.autoscaler);
  const source: FloorSource = { ...request, offset };
  const of = floorsOf(autoscaler, source, currentLevel(days));
  if (of === undefined)
    return no("the target is not a per-pod amount, so floors can't be derived from the load");
  const seasonal = seasonalDays(days, inferred, offset);
  const { grouping, loss } = chosenGrouping(seasonal, quantile);
  const classes = profileOf(seasonal, grouping, quantile);
  const lastMs = days.at(-1)?.toMs ?? recording.span.toMs;
  return {
    ok: true,
    quantile,
    grouping,
    schedules: floorSchedules(classes, of),
    slots: floorsOfWeek(classes, of, { fromLocal: lastMs + offset(lastMs), offset }),
    loss: podsOf(loss, of.perPodTarget),
    lossOfWeekBefore: podsOf(weekBeforeLoss(seasonal, quantile) ?? 0, of.perPodTarget),
  };
}

function no(message: string): FloorForecast {
  return { ok: false, message };
}
