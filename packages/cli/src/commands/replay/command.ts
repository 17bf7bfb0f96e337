// The command `plimsoll replay`.
import { printable } from "@plimsoll/component-base/text";
import { coreVersion, type DecisionRecord, type SemanticsProfile, semanticsProfiles } from "@plimsoll/core";
import { Command, Option } from "commander";
import { outputOption, repeated } from "../../cluster/flags.ts";
import { documentText } from "../../output/document.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { type Replayed, replayRecord, type StepDifference } from "./compare.ts";
import type { ReplayDifference, ReplayDocument, ReplayUpgrade } from "./document.ts";
import { readRecords } from "./records.ts";
import { recordLines, totalLine } from "./report.ts";
import { type Changes, readChange, withChanges } from "./set.ts";
import { createUpgrade, type Upgrade, upgradeText } from "./upgrade.ts";

interface ReplayFlags {
  readonly set?: readonly string[];
  readonly semantics?: SemanticsProfile;
  readonly from?: SemanticsProfile;
  readonly output: "table" | "json" | "yaml";
}

/** Of records that differ; the others are counted. A directory may hold millions. */
const maxShown = 20;
const maxListed = 1000;

/** plimsoll replay … */
export function replayCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("replay")
    .description(
      "Repeats decisions from decision records. Without --set and --semantics, each decision must match its record exactly: otherwise shows the first difference and exits with 2. With --set, shows step by step what the change does. With --semantics alone, shows what that release of Kubernetes changes, and exits with 2 if replicas change.",
    )
    .argument(
      "<FILE...>",
      "records (one document, or one per line; gzip allowed), a directory that --record-inputs wrote, or - for standard input",
    )
    .option(
      "--set <FIELD=VALUE>",
      "change this field, for example spec.maxReplicas=60, options.tolerance=0.2, or samples[0].values[0].value=30; null removes it; repeatable",
      repeated,
    )
    .addOption(
      new Option("--semantics <RELEASE>", "use the rules of this Kubernetes release").choices(
        semanticsProfiles,
      ),
    )
    .addOption(
      new Option(
        "--from <RELEASE>",
        "with --semantics: compare with this release instead of the record's",
      ).choices(semanticsProfiles),
    )
    .addOption(outputOption(["table", "json", "yaml"]))
    .action(async (files: readonly string[], flags: ReplayFlags) =>
      done(await replayFiles(files, flags, seams)),
    );
}

interface Progress {
  records: number;
  equal: number;
  readonly differences: ReplayDifference[];
  more: number;
  readonly errors: { readonly object: string; readonly message: string }[];
  /** Of other versions of the rules than this one, that recorded what differs. */
  readonly versions: Set<string>;
  only: Replayed | undefined;
  /** Present if only the release is another one. */
  readonly upgrade: Upgrade | undefined;
}

async function replayFiles(files: readonly string[], flags: ReplayFlags, seams: CliSeams): Promise<ExitCode> {
  const changes: Changes = { fields: (flags.set ?? []).map(readChange), semantics: flags.semantics };
  if (flags.from !== undefined && changes.semantics === undefined)
    throw new CliError("--from needs --semantics, the release to compare with");
  const hasChanges = changes.fields.length > 0 || changes.semantics !== undefined;
  const progress: Progress = {
    records: 0,
    equal: 0,
    differences: [],
    more: 0,
    errors: [],
    versions: new Set(),
    only: undefined,
    upgrade: upgradeOf(changes),
  };
  const isListing = flags.output === "table" && progress.upgrade === undefined;
  for await (const read of readRecords(files, seams)) {
    seams.signal.throwIfAborted();
    if (!read.ok) {
      progress.errors.push({ object: read.file, message: read.message });
      seams.writeError(`error: ${printable(read.message)}\n`);
      continue;
    }
    const record = recordUnder(read.record, flags.from);
    const replayed = replayRecord(record, changes);
    count(progress, replayed);
    progress.upgrade?.add(record, replayed);
    if (isListing && !replayed.isEqual && progress.records - progress.equal <= maxShown)
      seams.writeOut(recordLines(replayed, hasChanges));
  }
  const upgrade = progress.upgrade?.summary();
  finish(progress, { flags, hasChanges, upgrade, seams });
  return codeOf(progress, hasChanges, upgrade);
}

function codeOf(
  { errors, equal, records }: Progress,
  hasChanges: boolean,
  upgrade: ReplayUpgrade | undefined,
): ExitCode {
  if (errors.length > 0) return 1;
  if (upgrade !== undefined) return upgrade.changed > 0 ? 2 : 0;
  return !hasChanges && equal < records ? 2 : 0;
}

/** As the release decides it, or as it was decided. */
function recordUnder(record: DecisionRecord, release: SemanticsProfile | undefined): DecisionRecord {
  return release === undefined ? record : withChanges(record, { fields: [], semantics: release });
}

function upgradeOf({ fields, semantics }: Changes): Upgrade | undefined {
  return semantics === undefined || fields.length > 0 ? undefined : createUpgrade(semantics);
}

function count(progress: Progress, replayed: Replayed): void {
  progress.records += 1;
  progress.only = progress.records === 1 ? replayed : undefined;
  if (replayed.isEqual) {
    progress.equal += 1;
    return;
  }
  if (replayed.coreVersion !== coreVersion) progress.versions.add(replayed.coreVersion);
  for (const difference of replayed.differences) {
    if (progress.differences.length >= maxListed) progress.more += 1;
    else progress.differences.push(listed(difference, replayed, progress.records));
  }
}

function listed(
  { path, recorded, now }: StepDifference,
  { object, at }: Replayed,
  record: number,
): ReplayDifference {
  return { record, object, at, path, recorded, now };
}

function finish(
  progress: Progress,
  {
    flags,
    hasChanges,
    upgrade,
    seams,
  }: { flags: ReplayFlags; hasChanges: boolean; upgrade: ReplayUpgrade | undefined; seams: CliSeams },
): void {
  const { records, equal, differences, errors, only } = progress;
  const notes = notesOf(progress, hasChanges);
  if (flags.output === "table") {
    for (const note of notes) seams.writeError(`note: ${printable(note)}\n`);
    if (records === 0) return;
    if (upgrade !== undefined) {
      seams.writeOut(upgradeText(upgrade));
      return;
    }
    if (only?.isEqual === true) seams.writeOut(recordLines(only, hasChanges));
    if (records - equal > maxShown) seams.writeOut(`and ${records - equal - maxShown} more\n`);
    seams.writeOut(totalLine({ records, equal, hasChanges }));
    return;
  }
  const at = new Date(seams.nowMs()).toISOString();
  const document: ReplayDocument = {
    schema: "plimsoll/replay/v1",
    at,
    records,
    equal,
    differences,
    ...(upgrade === undefined ? {} : { upgrade }),
    notes,
    errors,
  };
  seams.writeOut(documentText(document, flags.output));
}

function notesOf({ versions, more }: Progress, hasChanges: boolean): readonly string[] {
  const others = [...versions].toSorted().join(", ");
  const isOlder = !hasChanges && versions.size > 0;
  return [
    ...(isOlder
      ? [`records that differ were made by version ${others} of the rules; this is ${coreVersion}`]
      : []),
    ...(more > 0 ? [`${more} more differences not shown`] : []),
  ];
}
