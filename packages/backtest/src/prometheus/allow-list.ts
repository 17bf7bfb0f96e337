// What of a document stays: fields that are listed, in the form that is listed. Everything else is left out.
import { isFields } from "@plimsoll/core/internal/values";

/** The value as it may stay; undefined: it is left out. */
export type Keep = (value: unknown, names: Names) => unknown;

/** The word in place of a name; the same one for the same name. */
export type Names = (kind: string, name: string) => string;

export function createNames(): Names {
  const kinds = new Map<string, Map<string, string>>();
  return (kind, name) => {
    const known = kinds.get(kind) ?? new Map<string, string>();
    kinds.set(kind, known);
    const found = known.get(name) ?? `${kind}-${known.size + 1}`;
    known.set(name, found);
    return found;
  };
}

export const number: Keep = (value) => (typeof value === "number" ? value : undefined);

/** Words that a schema lists: users choose among these. */
export function oneOf(...words: readonly string[]): Keep {
  const known = new Set(words);
  return (value) => (typeof value === "string" && known.has(value) ? value : undefined);
}

export function matching(form: RegExp): Keep {
  return (value) => (typeof value === "string" && form.test(value) ? value : undefined);
}

/** A name that a user chose. */
export function named(kind: string): Keep {
  return (value, names) => (typeof value === "string" ? names(kind, value) : undefined);
}

export function always(text: string): Keep {
  return (value) => (value === undefined || value === null ? undefined : text);
}

/** The first that keeps it. */
export function firstOf(...all: readonly Keep[]): Keep {
  return (value, names) => {
    for (const keep of all) {
      const kept = keep(value, names);
      if (kept !== undefined) return kept;
    }
    return undefined;
  };
}

export function list(keep: Keep): Keep {
  return (value, names) => (Array.isArray(value) ? value.map((item) => keep(item, names)) : undefined);
}

export function fields(shape: Readonly<Record<string, Keep>>): Keep {
  const all = Object.entries(shape);
  return (value, names) => {
    if (!isFields(value)) return undefined;
    const kept: Record<string, unknown> = {};
    for (const [key, keep] of all) {
      const inner = keep(value[key], names);
      if (inner !== undefined) kept[key] = inner;
    }
    return kept;
  };
}

/** An object whose keys a user chose. */
export function record(keepKey: Keep, keep: Keep): Keep {
  return (value, names) => {
    if (!isFields(value)) return undefined;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => {
        const [keptKey, kept] = [keepKey(key, names), keep(inner, names)];
        return typeof keptKey === "string" && kept !== undefined ? [[keptKey, kept]] : [];
      }),
    );
  };
}
