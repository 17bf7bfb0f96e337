// The form of the lines of a recording.
import { type Fields, isFields } from "@plimsoll/core/internal/values";

/** What is wrong with a recording: the line, the field, its value, and what to do. */
export class RecordingError extends Error {
  override name = "RecordingError";
}

type Check = (value: unknown, path: string) => void;

/** The checks of one line. */
export type LineCheck = ReturnType<typeof recordingChecks>;

const fields = ["minReplicas", "maxReplicas", "target", "generation", "tolerance"];
const levels = ["exact", "series", "status", "none"];
const clocks = ["known", "recovered", "unknown"];
/** Of a value in a message. */
const maxShown = 60;

export function recordingChecks(line: number) {
  const fail = (path: string, why: string): never => {
    throw new RecordingError(`line ${line}: ${path === "" ? "it" : path} ${why}`);
  };
  const shapes = shapesWith(fail);
  return {
    fail,
    parse(text: string): Fields {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        fail("", `is not JSON: ${shown(text)}: the file is cut off here, or is not a recording`);
      }
      return isFields(value) ? value : fail("", `is ${shown(value)}: must be an object`);
    },
    header(value: Fields, version: number): unknown {
      const { recording } = value;
      if (recording === undefined) fail("recording", "is missing: this is not a recording");
      if (typeof recording === "number" && recording > version) {
        fail(
          "recording",
          `${recording} is newer than ${version}, the newest version that this program reads: use a newer release`,
        );
      }
      if (recording !== version)
        fail("recording", `${shown(recording)} is not a version: must be ${version}`);
      shapes.header(value, "");
      return value;
    },
    element(value: Fields): { readonly kind: string; readonly element: unknown } {
      const [kind = ""] = Object.keys(value);
      if (!Object.hasOwn(shapes.elements, kind))
        fail(kind, `is not a part of a recording: it has ${Object.keys(shapes.elements).join(", ")}`);
      shapes.elements[kind]?.(value[kind], kind);
      return { kind, element: value[kind] };
    },
  };
}

type Fail = (path: string, why: string) => never;

/** Checks of values of any kind. */
function checksWith(fail: Fail) {
  const is =
    (test: (value: unknown) => boolean, what: string): Check =>
    (value, path) => {
      if (!test(value)) fail(path, `${shown(value)} must be ${what}`);
    };
  const fieldsAt = (value: unknown, path: string): Fields =>
    isFields(value) ? value : fail(path, `${shown(value)} must be an object`);
  return {
    number: is((value) => typeof value === "number" && Number.isFinite(value), "a number"),
    text: is((value) => typeof value === "string", "text"),
    oneOf: (names: readonly string[]): Check =>
      is((value) => typeof value === "string" && names.includes(value), `one of ${names.join(", ")}`),
    maybe:
      (check: Check): Check =>
      (value, path) => {
        if (value !== undefined && value !== null) check(value, path);
      },
    list:
      (check: Check): Check =>
      (value, path) => {
        if (!Array.isArray(value)) fail(path, `${shown(value)} must be a list`);
        for (const [n, one] of (value as readonly unknown[]).entries()) check(one, `${path}[${n}]`);
      },
    object:
      (checks: Readonly<Record<string, Check>>): Check =>
      (value, path) => {
        const own = fieldsAt(value, path);
        for (const [key, check] of Object.entries(checks))
          check(own[key], path === "" ? key : `${path}.${key}`);
      },
    mapOf:
      (check: Check): Check =>
      (value, path) => {
        for (const [key, one] of Object.entries(fieldsAt(value, path))) check(one, `${path}.${key}`);
      },
  };
}

function shapesWith(fail: Fail): {
  readonly header: Check;
  readonly elements: Readonly<Record<string, Check>>;
} {
  const { number, text, oneOf, maybe, list, object, mapOf } = checksWith(fail);
  const step = { atMs: number, earliestMs: number, value: number };
  const span = object({ fromMs: number, toMs: number });
  const ready = object({ fromMs: number, toMs: maybe(number) });
  const change = object({ ...step, field: oneOf(fields), metricIndex: maybe(number) });
  const pod = object({
    name: text,
    createdMs: number,
    startedMs: maybe(number),
    runningMs: maybe(number),
    ready: list(ready),
    deletedMs: maybe(number),
    goneMs: maybe(number),
    requests: mapOf(mapOf(text)),
    uncertaintyMs: number,
  });
  const value = object({
    pod: maybe(text),
    value: number,
    measuredMs: maybe(number),
    windowMs: maybe(number),
  });
  const status = object({
    atMs: number,
    currentReplicas: number,
    desiredReplicas: number,
    values: list(maybe(number)),
  });
  return {
    header: object({
      target: object({ namespace: text, kind: text, name: text }),
      span,
      autoscaler: object({ changes: list(change) }),
      clock: oneOf(clocks),
    }),
    elements: {
      syncs: list(number),
      pod,
      scale: object(step),
      metric: object({
        index: number,
        level: oneOf(levels),
        rangeMs: maybe(number),
        windowMs: maybe(number),
        gaps: list(span),
      }),
      sample: object({ atMs: number, values: list(value) }),
      status,
      end: object({ lines: number, digest: text }),
    },
  };
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
