// Reads what a file says of the load.
import { instantMs } from "@plimsoll/core";
import { zoneOffset } from "@plimsoll/core/schedules";
import { type Load, noLoad } from "../load/load.ts";
import { readCsv } from "./csv.ts";
import type { LoadContext } from "./load-context.ts";
import { type Section, sectionOf } from "./section.ts";

const forms = [
  "constant",
  "steps",
  "points",
  "sine",
  "daily",
  "weekly",
  "spike",
  "csv",
  "recording",
  "sum",
] as const;
type Form = (typeof forms)[number];

/** Of what is drawn again and again: shorter than what scrapes can see, and a year of it would take an hour. */
const minMs = 1000;

/** One form of load, with noise or whole requests on top where that is asked for. */
export function readLoad(section: Section, context: LoadContext): Load {
  const given = forms.filter((form) => section.has(form));
  const [form] = given;
  if (form === undefined || given.length > 1) {
    const message = form === undefined ? "is empty" : `has ${given.join(" and ")}`;
    section.findings.problems.push({
      path: section.path,
      message,
      remedy: `use exactly one of ${forms.join(", ")}`,
    });
    section.close();
    return noLoad;
  }
  const load = withNoise(readers[form](section, context), section);
  section.close();
  return load;
}

function withNoise(load: Load, section: Section): Load {
  const noise = section.has("noise") ? section.section("noise") : undefined;
  const deviation = noise?.part("deviation") ?? 0;
  const memoryMs = noise?.duration("memory", "20s") ?? 0;
  const isShort = noise !== undefined && memoryMs < minMs;
  if (isShort) noise.problem("memory", "is below 1 second", "use a value such as 20s");
  noise?.close();
  const noisy: Load =
    noise === undefined || isShort ? load : { kind: "noise", of: load, deviation, memoryMs };
  if (!section.has("poisson")) return noisy;
  const bucketMs = section.duration("poisson");
  if (bucketMs >= minMs) return { kind: "poisson", of: noisy, bucketMs };
  section.problem("poisson", "is below 1 second", "set the time for which requests are counted, such as 1s");
  return noisy;
}

const readers: Readonly<Record<Form, (section: Section, context: LoadContext) => Load>> = {
  constant: (section) => ({ kind: "constant", perSecond: section.amount("constant") }),
  steps: (section, context) => readPoints(section, "steps", context),
  points: (section, context) => readPoints(section, "points", context),
  sine: (section, { startMs }) => {
    const of = section.section("sine");
    const periodMs = of.duration("period");
    if (periodMs === 0) of.problem("period", "is zero", "use a value such as 1h");
    const sine = {
      kind: "sine" as const,
      mean: of.amount("mean"),
      amplitude: of.amount("amplitude"),
      periodMs,
      peakAtMs: startMs + of.duration("peakAt", "0s"),
    };
    of.close();
    return sine;
  },
  daily: (section) => readDaily(section.section("daily")),
  weekly: (section) => readWeekly(section.section("weekly")),
  spike: (section, { startMs }) => {
    const of = section.section("spike");
    const spike = {
      kind: "spike" as const,
      atMs: startMs + of.duration("at"),
      height: of.amount("height"),
      riseMs: of.duration("rise", "0s"),
      holdMs: of.duration("hold", "0s"),
      fallMs: of.duration("fall", "0s"),
    };
    of.close();
    return spike;
  },
  csv: (section, context) => readCsv(section.section("csv"), context),
  recording: (section, { startMs, sources }) => {
    const of = recordingOf(section);
    if (sources.recordedLoad !== undefined) return sources.recordedLoad(of, startMs);
    of.problem("file", "cannot be read: recordings aren't supported here", "use another load");
    return noLoad;
  },
  sum: (section, context) => ({
    kind: "sum",
    parts: section
      .list("sum")
      .map((part, index) =>
        readLoad(sectionOf(part, `${section.path}.sum[${index}]`, section.findings), context),
      ),
  }),
};

/** The name of a file alone has the usual window and interval. */
function recordingOf(section: Section): Section {
  const file = section.raw("recording");
  if (typeof file !== "string") return section.section("recording");
  return sectionOf({ file }, `${section.path}.recording`, section.findings);
}

/** `{ at: 10m, value: 300 }`, ascending. */
function readPoints(section: Section, key: "steps" | "points", { startMs }: LoadContext): Load {
  const atMs: number[] = [];
  const perSecond: number[] = [];
  for (const [index, entry] of section.list(key).entries()) {
    const point = sectionOf(entry, `${section.path}.${key}[${index}]`, section.findings);
    const instant = startMs + point.duration("at");
    if (instant <= (atMs.at(-1) ?? -Infinity))
      point.problem("at", "is not later than the one before", "sort them by time");
    atMs.push(instant);
    perSecond.push(point.amount("value"));
    point.close();
  }
  if (atMs.length === 0) section.problem(key, "is empty", "use a value such as { at: 10m, value: 300 }");
  return { kind: "points", shape: key === "steps" ? "steps" : "lines", atMs, perSecond };
}

/** A curve of five-minute values. */
const valuesADay = 288;

function readDaily(of: Section): Load {
  const timeZone = readZone(of);
  const [low, high] = [of.amount("low"), of.amount("high")];
  if (high < low) of.problem("high", "is below low", "use the load at the peak");
  const text = of.text("peakAt");
  const minutes = instantMs(`1970-01-01T${text}:00Z`);
  if (minutes === undefined) of.problem("peakAt", "is not a time of day", 'use a value such as "20:00"');
  of.close();
  const peak = (minutes ?? 0) / 86_400_000;
  const perSecond = Array.from({ length: valuesADay }, (_, step) => {
    const height = (1 + Math.cos(2 * Math.PI * (step / valuesADay - peak))) / 2;
    return low + (high - low) * height;
  });
  return { kind: "profile", timeZone, repeats: "daily", perSecond };
}

/** Values at equal distances from Monday, 00:00. */
function readWeekly(of: Section): Load {
  const timeZone = readZone(of);
  const values = of.list("values");
  const isRight = values.length > 0 && values.every((value) => Number.isFinite(value) && Number(value) >= 0);
  if (!isRight)
    of.problem(
      "values",
      "are not all numbers of at least 0",
      "list the load of each hour, starting Monday 00:00",
    );
  of.close();
  return {
    kind: "profile",
    timeZone,
    repeats: "weekly",
    perSecond: isRight ? (values as readonly number[]) : [0],
  };
}

function readZone(of: Section): string {
  const timeZone = of.text("timeZone", "UTC");
  if (zoneOffset(timeZone) !== undefined) return timeZone;
  of.problem("timeZone", "is not a time zone", "use a name of the IANA list, such as Europe/Berlin");
  return "UTC";
}
