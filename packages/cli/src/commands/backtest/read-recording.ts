// Reads a recording from a file, line by line.
import { createRecordingReader, type Recording, RecordingError } from "@plimsoll/backtest";
import { fileErrorText } from "@plimsoll/component-base/process";
import { createLineSplitter, LineTooLong } from "../../input/line-splitter.ts";
import { shownFile } from "../../input/read-input.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import { textParts } from "../replay/records.ts";

/** Longer than any line of a recording, so that a file of something else does not fill the memory. */
const maxLineLength = 16 * 1024 * 1024;

/** Of a file, also compressed by gzip, or of the standard input for "-". @throws CliError */
export async function readRecordingFile(
  file: string,
  seams: Pick<CliSeams, "readText" | "signal">,
): Promise<Recording> {
  const reader = createRecordingReader();
  const shown = shownFile(file);
  try {
    const lines = createLineSplitter(maxLineLength, "a recording");
    for await (const part of textParts(file, seams)) for (const line of lines.add(part)) reader.add(line);
    const rest = lines.rest();
    if (rest !== "") reader.add(rest);
    return reader.end();
  } catch (error) {
    seams.signal.throwIfAborted();
    if (error instanceof RecordingError || error instanceof LineTooLong)
      throw new CliError(`${shown}: ${error.message}`);
    throw new CliError(`cannot read ${shown}: ${fileErrorText(error, file)}`);
  }
}
