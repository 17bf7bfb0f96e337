// Draws a schedule preview as a timeline of characters.
import { dayMs } from "@plimsoll/core/internal/values";
import { instantOfLocal, type ZoneOffset } from "@plimsoll/core/schedules";
import type { Preview } from "./preview.ts";

const widest = 84;
/** How many characters a day may have: those that make whole hours. */
const perDay = [24, 12, 8, 6, 4, 3, 2, 1];

/** A line for each entry, a character for a few hours: "#" all of them, "+" a part, "." none, " " outside of the range. */
export function timelineOf(
  preview: Preview,
  range: { readonly fromMs: number; readonly toMs: number; readonly offset: ZoneOffset },
): readonly string[] {
  const { offset, fromMs, toMs } = range;
  const firstDay = Math.floor((fromMs + offset(fromMs)) / dayMs) * dayMs;
  const days = Math.ceil((toMs + offset(toMs) - firstDay) / dayMs);
  const chars = perDay.find((count) => count * days <= widest) ?? 1;
  const slotMs = dayMs / chars;
  const edges = Array.from({ length: chars * days + 1 }, (_, slot) =>
    instantOfLocal(firstDay + slot * slotMs, offset),
  );
  const names = preview.object.schedules.map(({ name }) => name);
  const width = Math.max(4, ...names.map((name) => name.length));
  const head = Array.from({ length: days }, (_, day) => dayLabel(firstDay + day * dayMs, chars)).join("");
  const hours = 24 / chars;
  const rows = names.map((name) => {
    const spans = spansOf(preview, name, toMs);
    const cells = edges.slice(0, -1).map((edge, slot) => {
      const cell = { fromMs: Math.max(edge, fromMs), toMs: Math.min(edges[slot + 1] ?? edge, toMs) };
      return cell.toMs > cell.fromMs ? cellOf(spans, cell) : " ";
    });
    return `${name.padEnd(width)}  ${cells.join("")}`.trimEnd();
  });
  return [`${"".padEnd(width)}  ${head}`.trimEnd(), ...rows, `each character is ${hours} h`];
}

function dayLabel(localMs: number, chars: number): string {
  const date = new Date(localMs).toISOString();
  const text = chars >= 6 ? `|${date.slice(8, 10)}` : chars >= 3 ? date.slice(8, 10) : "";
  return text.padEnd(chars);
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function spansOf({ state, transitions }: Preview, name: string, endMs: number): readonly Span[] {
  const isActive = (active: typeof state.active) => active.some((entry) => entry.name === name);
  const spans: Span[] = [];
  let since = isActive(state.active) ? state.atMs : undefined;
  for (const { atMs, state: next } of transitions) {
    const now = isActive(next.active);
    if (now && since === undefined) since = atMs;
    if (!now && since !== undefined) {
      spans.push({ fromMs: since, toMs: atMs });
      since = undefined;
    }
  }
  return since === undefined ? spans : [...spans, { fromMs: since, toMs: endMs }];
}

function cellOf(spans: readonly Span[], { fromMs, toMs }: Span): string {
  const covered = spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(span.toMs, toMs) - Math.max(span.fromMs, fromMs)),
    0,
  );
  if (covered === 0) return ".";
  return covered >= toMs - fromMs ? "#" : "+";
}
