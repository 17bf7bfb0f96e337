// Reads the fields of a file: every value with its unit, its default, and what is wrong with it.
import { parseGoDuration } from "@plimsoll/core/duration";
import { type Fields, fieldsOf, isFields, type Remark } from "@plimsoll/core/internal/values";
import { approximateFloat, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import type { Delay } from "../random/delay.ts";

/** A value that results depend on. */
export interface Assumption {
  readonly path: string;
  readonly value: string;
  readonly source: "given" | "estimated" | "default";
}

/** What is found while a file is read. */
export interface Findings {
  /** Each stops the file from being used. */
  readonly problems: Remark[];
  readonly assumptions: Assumption[];
}

/** The fields of one object of the file. Values that are wrong are reported, and read as something harmless. */
export interface Section {
  readonly path: string;
  readonly findings: Findings;
  has(key: string): boolean;
  /** As it is; counts as a known field. */
  raw(key: string): unknown;
  text(key: string, usual?: string): string;
  choice<T extends string>(key: string, choices: readonly T[], usual?: T): T;
  /** In milliseconds: "15s". */
  duration(key: string, usual?: string): number;
  /** A number from zero on. */
  amount(key: string, usual?: number): number;
  /** A whole number from `min` to `max`, which is ten thousand when absent. */
  count(key: string, of: { readonly min: number; readonly max?: number; readonly usual?: number }): number;
  /** 0–1, written as "5%" or 0.05. */
  part(key: string, usual?: string): number;
  /** "500m" or "100Mi"; undefined where it is absent and has no default. */
  quantity(key: string, usual?: string): number | undefined;
  delay(key: string, usual?: string): Delay;
  section(key: string): Section;
  list(key: string): readonly unknown[];
  /** Of all fields that are given, read or not. */
  names(): readonly string[];
  problem(key: string, message: string, remedy: string): void;
  /** Reports the fields that were not read. */
  close(): void;
}

/** The object at a path; anything else is a problem, and has no fields. */
export function sectionOf(value: unknown, path: string, findings: Findings): Section {
  if (!isFields(value) && value !== undefined)
    findings.problems.push({ path, value, message: "is not an object", remedy: "list its fields" });
  return createSection(fieldsOf(value), path, findings);
}

function createSection(fields: Fields, path: string, findings: Findings): Section {
  const asked = new Set<string>();
  const at = (key: string): string => (path === "" ? key : `${path}.${key}`);
  const raw = (key: string): unknown => {
    asked.add(key);
    return Object.hasOwn(fields, key) && fields[key] !== null ? fields[key] : undefined;
  };
  const problem = (key: string, message: string, remedy: string): void => {
    const value = raw(key);
    findings.problems.push({ path: at(key), ...(value === undefined ? {} : { value }), message, remedy });
  };
  /** What is given, or the default; a value without either is missing. */
  const read = <T>(key: string, usual: string | number | undefined, how: Reading<T>): T => {
    const given = raw(key);
    const value = given ?? usual;
    if (value === undefined) {
      problem(key, "is missing", how.remedy(undefined));
      return how.harmless;
    }
    const result = how.read(value);
    if (typeof result === "string") {
      problem(key, result, how.remedy(value));
      return how.harmless;
    }
    const source = given === undefined ? "default" : "given";
    findings.assumptions.push({ path: at(key), value: shown(value), source });
    return result.value;
  };
  return {
    path,
    findings,
    has: (key) => raw(key) !== undefined,
    raw,
    text: (key, usual) => read(key, usual, texts),
    choice: (key, choices, usual) => read(key, usual, choiceOf(choices)),
    duration: (key, usual) => read(key, usual, durations),
    amount: (key, usual) => read(key, usual, amounts),
    count: (key, { min, max = usualMax, usual }) => read(key, usual, countsBetween(min, max)),
    part: (key, usual) => read(key, usual, parts),
    quantity: (key, usual) =>
      raw(key) === undefined && usual === undefined ? undefined : read(key, usual, quantities),
    delay: (key, usual) => read(key, usual, delays),
    section: (key) => sectionOf(raw(key), at(key), findings),
    list(key) {
      const value = raw(key);
      if (value === undefined || Array.isArray(value)) return (value ?? []) as readonly unknown[];
      problem(key, "is not a list", "use a list");
      return [];
    },
    names: () => Object.keys(fields),
    problem,
    close() {
      for (const key of Object.keys(fields)) {
        if (asked.has(key)) continue;
        const remedy = `use one of ${[...asked].sort().join(", ")}`;
        findings.problems.push({ path: at(key), message: "is not a field here", remedy });
      }
    },
  };
}

/** How one kind of value is read: the value, or what is wrong with it. */
interface Reading<T> {
  readonly harmless: T;
  read(value: unknown): { readonly value: T } | string;
  remedy(value: unknown): string;
}

const texts: Reading<string> = {
  harmless: "",
  read: (value) => (typeof value === "string" && value !== "" ? { value } : "is not a string"),
  remedy: () => "use a string",
};

function choiceOf<T extends string>(choices: readonly T[]): Reading<T> {
  const harmless = choices[0] as T;
  return {
    harmless,
    read(value) {
      const found = choices.find((choice) => choice === scalarText(value));
      return found === undefined ? "is unknown" : { value: found };
    },
    remedy: () => `use one of ${choices.join(", ")}`,
  };
}

const durations: Reading<number> = {
  harmless: 1000,
  read(value) {
    const ms = typeof value === "string" ? parseGoDuration(value) : undefined;
    if (ms === undefined) return "is not a duration";
    return ms < 0 ? "is negative" : { value: ms };
  },
  remedy: (value) =>
    typeof value === "number" && value >= 0 ? `use ${value}s` : "use a value such as 30s or 5m",
};

const amounts: Reading<number> = {
  harmless: 1,
  read(value) {
    if (typeof value !== "number" || !Number.isFinite(value)) return "is not a number";
    return value < 0 ? "is negative" : { value };
  },
  remedy: () => "use a number of at least 0",
};

/** Of pods and nodes: each is simulated. */
const usualMax = 10_000;

function countsBetween(min: number, max: number): Reading<number> {
  return {
    harmless: min,
    read(value) {
      const isRight = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
      return isRight ? { value } : `is not a whole number from ${min} to ${max}`;
    },
    remedy: () => `use a value such as ${Math.max(min, 1)}`,
  };
}

const parts: Reading<number> = {
  harmless: 0,
  read(value) {
    const text = scalarText(value);
    const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
    const part = percent === undefined ? Number(text) : Number(percent) / 100;
    return text !== "" && part >= 0 && part <= 1 ? { value: part } : "is not a share from 0% to 100%";
  },
  remedy: () => "use a value such as 5%",
};

const quantities: Reading<number> = {
  harmless: 1,
  read(value) {
    try {
      const amount = approximateFloat(parseQuantity(scalarText(value)));
      return amount < 0 ? "is negative" : { value: amount };
    } catch (error) {
      if (error instanceof QuantityError) return "is not a quantity";
      throw error;
    }
  },
  remedy: () => "use a value such as 500m or 100Mi",
};

const delays: Reading<Delay> = {
  harmless: { kind: "fixed", ms: 1000 },
  read(value) {
    if (Array.isArray(value)) return delayList(value);
    if (typeof value !== "object" || value === null) {
      const fixed = durations.read(value);
      return typeof fixed === "string" ? fixed : { value: { kind: "fixed", ms: fixed.value } };
    }
    const { median, p95, ...others } = value as Fields;
    const [medianMs, p95Ms] = [durations.read(median), durations.read(p95)];
    if (typeof medianMs === "string" || typeof p95Ms === "string" || Object.keys(others).length > 0)
      return "must be a median with p95";
    if (p95Ms.value < medianMs.value) return "has a p95 below its median";
    return { value: { kind: "log-normal", medianMs: medianMs.value, p95Ms: p95Ms.value } };
  },
  remedy: (value) =>
    typeof value === "object" && value !== null
      ? "use { median: 20s, p95: 45s } or a list of durations"
      : durations.remedy(value),
};

function delayList(list: readonly unknown[]): { readonly value: Delay } | string {
  const ms: number[] = [];
  for (const entry of list) {
    const read = durations.read(entry);
    if (typeof read === "string") return `has ${shown(entry)}, which ${read}`;
    ms.push(read.value);
  }
  return ms.length === 0 ? "is empty" : { value: { kind: "list", ms } };
}

/** Empty for what is not a scalar: objects of a file may have any fields, those that make them texts too. */
export function scalarText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
