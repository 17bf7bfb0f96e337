// Reads --space: what of a specification may be varied.
import { readTuneSpace, type TuneSpace } from "@plimsoll/simulator";
import { problemText } from "../convert/problem.ts";
import { readPlainDocument } from "../convert/source.ts";
import { readInput } from "../read-input.ts";
import type { CliSeams } from "../seams.ts";

/** The space, or every problem in one line each. */
export type SpaceFileRead =
  | { readonly ok: true; readonly space: TuneSpace }
  | { readonly ok: false; readonly problems: readonly string[] };

/** @throws CliError where the file cannot be read at all. */
export async function readSpaceFile(file: string, seams: Pick<CliSeams, "readText">): Promise<SpaceFileRead> {
  const document = readPlainDocument(await readInput(file, seams), file === "-" ? "(standard input)" : file);
  if (!document.ok) return { ok: false, problems: document.problems.map(problemText) };
  const read = readTuneSpace(document.value);
  if (read.ok) return read;
  return { ok: false, problems: read.problems.map((problem) => problemText(document.locate(problem))) };
}
