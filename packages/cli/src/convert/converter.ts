import type { Document } from "yaml";
import { cronHpaConverter } from "./cronhpa/cronhpa.ts";
import { hpaConverter } from "./hpa/hpa.ts";
import type { Finding, SourceObject } from "./source.ts";

export interface ConvertSettings {
  /** spec.mode of what comes out; undefined leaves it to the default, which is Active. */
  readonly mode: "Active" | "Shadow" | undefined;
  /** Of schedules that do not say theirs. */
  readonly timeZone: string;
  /** By the user, and not only that of this process. */
  readonly isZoneGiven: boolean;
  readonly nowMs: number;
}

/** What became of one object. Notes tell of what was left out on purpose, and stop nothing. */
export type Conversion =
  | { readonly ok: true; readonly documents: readonly Document[]; readonly notes: readonly Finding[] }
  | { readonly ok: false; readonly problems: readonly Finding[] };

export interface Converter {
  /** Group of the objects that it takes; every version of it. */
  readonly group: string;
  readonly kind: string;
  /** `all`: every object of the input, for kinds that refer to each other. */
  convert(
    source: SourceObject,
    o: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
  ): Conversion;
}

/** The kinds that are converted. */
const converters: readonly Converter[] = [hpaConverter, cronHpaConverter];

export function converterOf({ apiVersion, kind }: SourceObject): Converter | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return converters.find((converter) => converter.group === group && converter.kind === kind);
}

/** For a message: "HorizontalPodAutoscaler (autoscaling)". */
export function convertedKinds(): string {
  return converters.map(({ group, kind }) => `${kind} (${group})`).join(", ");
}
