// The command `plimsoll replay`.
import { coreVersion, type SemanticsProfile } from "@plimsoll/core";
import { Command, Option } from "commander";
import { documentText } from "../output/document.ts";
import { printable } from "../printable.ts";
import type { CliSeams, ExitCode } from "../seams.ts";
import { type Replayed, replayRecord, type StepDifference } from "./compare.ts";
import type { ReplayDifference, ReplayDocument } from "./document.ts";
import { readRecords } from "./records.ts";
import { recordLines, totalLine } from "./report.ts";
import { type Changes, readChange } from "./set.ts";

interface ReplayFlags {
  readonly set?: readonly string[];
  readonly semantics?: SemanticsProfile;
  readonly output: "table" | "json" | "yaml";
}

const semantics: readonly SemanticsProfile[] = ["1.32", "1.35", "1.37"];

/** Of records that differ; the others are counted. A directory may hold millions. */
const maxShown = 20;
const maxListed = 1000;

/** plimsoll replay … */
export function replayCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return new Command("replay")
    .description(
      "Decides again from decision records. Without --set and --semantics the recorded decision must come out, to " +
        "the byte: it ends with 2 and the first difference otherwise. With them it shows what changes, step by step.",
    )
    .argument(
      "<FILE...>",
      "records, one document or one a line, also gzip; a directory of them, as --record-inputs writes it; - for the standard input",
    )
    .option(
      "--set <FIELD=VALUE>",
      "decide with this field changed, such as spec.maxReplicas=60, options.tolerance=0.2 or samples[0].values[0].value=30; null removes it; may be repeated",
      (value: string, all: readonly string[] | undefined) => [...(all ?? []), value],
    )
    .addOption(
      new Option("--semantics <RELEASE>", "decide by the rules of this release of Kubernetes").choices(
        semantics,
      ),
    )
    .addOption(
      new Option("-o, --output <FORMAT>", "how to write it")
        .choices(["table", "json", "yaml"])
        .default("table"),
    )
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
}

async function replayFiles(files: readonly string[], flags: ReplayFlags, seams: CliSeams): Promise<ExitCode> {
  const changes: Changes = { fields: (flags.set ?? []).map(readChange), semantics: flags.semantics };
  const hasChanges = changes.fields.length > 0 || changes.semantics !== undefined;
  const progress: Progress = {
    records: 0,
    equal: 0,
    differences: [],
    more: 0,
    errors: [],
    versions: new Set(),
    only: undefined,
  };
  for await (const read of readRecords(files, seams)) {
    seams.signal.throwIfAborted();
    if (!read.ok) {
      progress.errors.push({ object: read.file, message: read.message });
      seams.writeError(`error: ${printable(read.message)}\n`);
      continue;
    }
    const replayed = replayRecord(read.record, changes);
    count(progress, replayed);
    if (flags.output === "table" && !replayed.isEqual && progress.records - progress.equal <= maxShown) {
      seams.writeOut(recordLines(replayed, hasChanges));
    }
  }
  finish(progress, { flags, hasChanges, seams });
  if (progress.errors.length > 0) return 1;
  return !hasChanges && progress.equal < progress.records ? 2 : 0;
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
  { flags, hasChanges, seams }: { flags: ReplayFlags; hasChanges: boolean; seams: CliSeams },
): void {
  const { records, equal, differences, errors, only } = progress;
  const notes = notesOf(progress, hasChanges);
  if (flags.output === "table") {
    if (only?.isEqual === true) seams.writeOut(recordLines(only, hasChanges));
    if (records - equal > maxShown) seams.writeOut(`and ${records - equal - maxShown} more\n`);
    for (const note of notes) seams.writeError(`note: ${printable(note)}\n`);
    if (records > 0) seams.writeOut(totalLine({ records, equal, hasChanges }));
    return;
  }
  const at = new Date(seams.nowMs()).toISOString();
  const document: ReplayDocument = {
    schema: "plimsoll/replay/v1",
    at,
    records,
    equal,
    differences,
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
    ...(more > 0 ? [`${more} more differences are not listed`] : []),
  ];
}
