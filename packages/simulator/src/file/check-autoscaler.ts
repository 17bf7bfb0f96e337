// Checks the manifest of an autoscaler as the API server does when it is applied.
import { checkHpa, wlaFieldProblems } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf, listOf, type Remark, textOf } from "@plimsoll/core/internal/values";
import { readAutoscaler } from "./autoscaler.ts";

/** Why it would be refused, each with its path and what to do; none for other kinds. */
export function checkAutoscaler(object: Fields): readonly Remark[] {
  if (object["kind"] === "HorizontalPodAutoscaler") return checkHpa(object);
  if (object["kind"] !== "WorkloadAutoscaler") return [];
  const fields = wlaFieldProblems(object);
  if (fields.length > 0) return fields;
  const read = readAutoscaler(withoutCalendars(object));
  return read.ok ? [] : [{ path: "", message: read.message, remedy: "correct it" }];
}

/** Only the autoscaler reads them. */
function withoutCalendars(object: Fields): Fields {
  const spec = fieldsOf(object["spec"]);
  const schedules = listOf(spec["schedules"])
    .map(fieldsOf)
    .map(({ exclusions, ...entry }) => {
      const kept = listOf(exclusions).filter((exclusion) => {
        const { calendar, calendarName } = fieldsOf(exclusion);
        return textOf(calendar) === "" && textOf(calendarName) === "";
      });
      return kept.length < listOf(exclusions).length && kept.length === 0
        ? entry
        : { ...entry, ...(exclusions === undefined ? {} : { exclusions: kept }) };
    });
  return { ...object, spec: { ...spec, schedules } };
}
