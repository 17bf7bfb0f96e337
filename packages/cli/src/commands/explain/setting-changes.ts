// What of an object's settings changed between two decisions.
import { diffSettings, diffTracedSettings } from "@plimsoll/core";
import type { Explained } from "../../decisions/source.ts";

export interface SettingChange {
  /** Such as "spec.maxReplicas". */
  readonly path: string;
  /** Absent: it was not there. */
  readonly before?: unknown;
  readonly now?: unknown;
}

/** Undefined: there is no decision before. Without the inputs of both, what their traces show. */
export function settingChanges(explained: Explained): readonly SettingChange[] | undefined {
  const { decision, record, previous } = explained;
  if (decision === undefined || previous === undefined) return undefined;
  const differences =
    record === undefined || previous.record === undefined
      ? diffTracedSettings(previous.decision, decision)
      : diffSettings(previous.record, record);
  return differences.map(({ path, a, b }) => ({
    path,
    ...(a === undefined ? {} : { before: a }),
    ...(b === undefined ? {} : { now: b }),
  }));
}
