// Prints what schedules will do: a table and a picture for people, JSON for programs.
import { printable } from "@plimsoll/component-base/text";
import { formatInstant, type ScheduleState } from "@plimsoll/core";
import type { ScheduleTransition, ZoneOffset } from "@plimsoll/core/schedules";
import type { ConvertProblem } from "@plimsoll/migration/manifests";
import { limitsIn, type Preview } from "./preview.ts";
import type { ScheduledObject } from "./read.ts";
import { timelineOf } from "./timeline.ts";

export interface PreviewRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** How times are shown. */
  readonly timeZone: string;
  readonly offset: ZoneOffset;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** For people: a table of what changes when, and a picture of it. */
export function textReport(preview: Preview, range: PreviewRange): string {
  const { object, state, transitions, isCut, reachedMs } = preview;
  const header = ["WHEN", "UTC", "CHANGE", "LIMITS"];
  const rows = [
    row(range.fromMs, state.active.length === 0 ? "no schedule active" : `active: ${names(state)}`, state),
    ...transitions.map((transition) => row(transition.atMs, changeText(transition), transition.state)),
  ];
  const widths = header.map((title, n) =>
    Math.max(title.length, ...rows.map((cells) => cells[n]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd();
  return [
    `${object.namespace}/${object.name}: ${limitsText(object)}, times in ${range.timeZone}`,
    "",
    ...[header, ...rows].map(line),
    ...(isCut ? [`showing only changes before ${formatInstant(reachedMs)}`] : []),
    "",
    ...timelineOf(preview, range),
    "",
  ]
    .map(printable)
    .join("\n");

  function row(atMs: number, change: string, at: ScheduleState): readonly string[] {
    const limits = limitsIn(preview, at);
    const conflict = at.conflict === undefined ? "" : ` (the ${at.conflict.winner} wins)`;
    return [
      localText(atMs, range.offset),
      formatInstant(atMs),
      change,
      `${limits.minReplicas} to ${limits.maxReplicas}${conflict}`,
    ];
  }
}

function limitsText({ bounds, hpa }: ScheduledObject): string {
  const limits = `limits ${bounds.minReplicas} to ${bounds.maxReplicas}`;
  if (hpa === undefined) return limits;
  const of = `of HorizontalPodAutoscaler ${hpa.name}`;
  return hpa.isKnown
    ? `${limits} ${of}, within ${hpa.outer.minReplicas} to ${hpa.outer.maxReplicas}`
    : `${limits}, assumed for those ${of}, which is not in the file`;
}

/** The machine's form; its fields only ever grow within one schema. */
export function jsonReport(
  file: string,
  previews: readonly Preview[],
  { range, problems }: { readonly range: PreviewRange; readonly problems: readonly ConvertProblem[] },
): string {
  const document = {
    schema: "plimsoll/schedule-preview/v1",
    file,
    from: formatInstant(range.fromMs),
    to: formatInstant(range.toMs),
    objects: previews.map((preview) => ({
      namespace: preview.object.namespace,
      name: preview.object.name,
      ...preview.object.bounds,
      now: stateJson(preview, preview.state),
      transitions: preview.transitions.map(({ atMs, begins, ends, steps, state }) => ({
        at: formatInstant(atMs),
        begins,
        ends,
        steps,
        ...stateJson(preview, state),
      })),
      isCut: preview.isCut,
    })),
    problems,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function stateJson(preview: Preview, state: ScheduleState): object {
  const { floor, ceiling, conflict } = state;
  return {
    active: state.active.map(({ name }) => name),
    ...limitsIn(preview, state),
    ...(floor === undefined ? {} : { floor }),
    ...(ceiling === undefined ? {} : { ceiling }),
    ...(conflict === undefined ? {} : { conflict }),
  };
}

function changeText({ begins, ends, steps, state }: ScheduleTransition): string {
  const imposed = (name: string) => {
    const entry = state.active.find((one) => one.name === name);
    const { floor, ceiling } = entry ?? {};
    if (floor !== undefined && floor === ceiling) return ` (exactly ${floor})`;
    const parts = [
      ...(floor === undefined ? [] : [`at least ${floor}`]),
      ...(ceiling === undefined ? [] : [`at most ${ceiling}`]),
    ];
    return ` (${parts.join(", ")})`;
  };
  return [
    ...ends.map((name) => `${name} ends`),
    ...begins.map((name) => `${name} begins${imposed(name)}`),
    ...steps.map((name) => `${name} rises${imposed(name)}`),
  ].join(", ");
}

function names({ active }: ScheduleState): string {
  return active.map(({ name }) => name).join(", ");
}

function localText(atMs: number, offset: ZoneOffset): string {
  const shift = offset(atMs);
  const local = new Date(atMs + shift);
  const minutes = Math.abs(Math.trunc(shift / 60_000));
  const pad = (value: number) => String(value).padStart(2, "0");
  const sign = shift < 0 ? "-" : "+";
  const text = local.toISOString().slice(0, 16).replace("T", " ");
  return `${weekdays[local.getUTCDay()] ?? ""} ${text} ${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
