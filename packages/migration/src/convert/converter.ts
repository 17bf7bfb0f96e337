// What a converter of one kind gets, and what it returns.
import type { Remark } from "@plimsoll/core/internal/values";
import type { Document } from "yaml";
import type { SourceObject } from "../manifests/source.ts";
import type { MetricRuleSettings } from "./metric-rules/metric-rule.ts";
import type { NeededRule } from "./needed-rule.ts";

export interface ConvertSettings {
  /** spec.mode of what comes out; undefined leaves it to the default, which is Active. */
  readonly mode: "Active" | "Shadow" | undefined;
  /** Of schedules that do not say theirs. */
  readonly timeZone: string;
  /** By the user, and not only that of this process. */
  readonly isZoneGiven: boolean;
  readonly nowMs: number;
  /** Queries become MetricRules; undefined: rules of the file. */
  readonly metricRules: MetricRuleSettings | undefined;
}

/** The result for one object. Notes list what was left out on purpose; they stop nothing. */
export type Conversion =
  | {
      readonly ok: true;
      readonly documents: readonly Document[];
      readonly notes: readonly Remark[];
      /** Rules of metrics-adapter for metrics that the documents name; absent: none. */
      readonly rules?: readonly NeededRule[];
    }
  | { readonly ok: false; readonly problems: readonly Remark[] };

export interface Converter {
  /** Group of the objects that it takes; every version of it. */
  readonly group: string;
  readonly kind: string;
  /** `all`: every object of the input, for kinds that refer to each other. */
  convert(
    source: SourceObject,
    context: { readonly settings: ConvertSettings; readonly all: readonly SourceObject[] },
  ): Conversion;
}
