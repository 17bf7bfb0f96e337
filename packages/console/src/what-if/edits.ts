// What a reader changed in a recorded decision, in the address and out of it.

/** Quantities and percent are texts, as the specification has them. Absent: as recorded. */
export interface Edits {
  /** Measured values by position in spec.metrics. */
  readonly values: Readonly<Record<number, string>>;
  readonly targets: Readonly<Record<number, string>>;
  readonly unready?: number;
  readonly min?: number;
  readonly max?: number;
  /** A quantity, of both directions. */
  readonly tolerance?: string;
  readonly downWindowSeconds?: number;
}

export const noEdits: Edits = { values: {}, targets: {} };

const wholeNames = { unready: "unready", min: "min", max: "max", downWindowSeconds: "window" } as const;

/** What is not a whole number of at least 0 is taken as absent. */
export function editsFrom(params: Readonly<Record<string, string>>): Edits {
  const values: Record<number, string> = {};
  const targets: Record<number, string> = {};
  for (const [name, text] of Object.entries(params)) {
    const [, kind, index] = /^([vt])(\d{1,3})$/.exec(name) ?? [];
    if (kind === "v") values[Number(index)] = text;
    if (kind === "t") targets[Number(index)] = text;
  }
  const whole = Object.entries(wholeNames).flatMap(([field, name]) => {
    const text = params[name] ?? "";
    return /^\d{1,6}$/.test(text) ? [[field, Number(text)] as const] : [];
  });
  const { tolerance } = params;
  return { values, targets, ...Object.fromEntries(whole), ...(tolerance === undefined ? {} : { tolerance }) };
}

/** The parameters that an address loses and gets. */
export function paramsOf(edits: Edits, before: Edits = noEdits): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const one of [before, edits]) {
    const isNew = one === edits;
    for (const [index, text] of Object.entries(one.values)) params[`v${index}`] = isNew ? text : "";
    for (const [index, text] of Object.entries(one.targets)) params[`t${index}`] = isNew ? text : "";
    for (const [field, name] of Object.entries(wholeNames)) {
      const value = one[field as keyof typeof wholeNames];
      if (value !== undefined) params[name] = isNew ? String(value) : "";
    }
    if (one.tolerance !== undefined) params["tolerance"] = isNew ? one.tolerance : "";
  }
  return params;
}

export function isEdited(edits: Edits): boolean {
  return Object.keys(paramsOf(edits)).length > 0;
}
