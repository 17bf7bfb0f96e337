// Reads a recording from a file, line by line.
import { fileErrorText } from "@plimsoll/component-base/process";
import { createRecordingReader, type Recording, RecordingError } from "@plimsoll/simulator";
import { textParts } from "../replay/records.ts";
import { CliError, type CliSeams } from "../seams.ts";

/** Longer than any line of a recording, so that a file of something else does not fill the memory. */
const maxLineLength = 16 * 1024 * 1024;

/** Of a file, also compressed by gzip, or of the standard input for "-". @throws CliError */
export async function readRecordingFile(
  file: string,
  seams: Pick<CliSeams, "readText" | "signal">,
): Promise<Recording> {
  const reader = createRecordingReader();
  const shown = file === "-" ? "(standard input)" : file;
  try {
    let rest = "";
    for await (const part of textParts(file, seams)) {
      const lines = `${rest}${part}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) reader.add(line);
      if (rest.length > maxLineLength)
        throw new CliError(`${shown} has a line that is too long: it is no recording`);
    }
    if (rest !== "") reader.add(rest);
    return reader.end();
  } catch (error) {
    seams.signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    if (error instanceof RecordingError) throw new CliError(`${shown}: ${error.message}`);
    throw new CliError(`cannot read ${shown}: ${fileErrorText(error, file)}`);
  }
}
