// Writes a recording to a file.
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { type Recording, recordingLines } from "@plimsoll/backtest";
import { anonymize } from "@plimsoll/backtest/prometheus";
import { fileErrorText, replaceFile } from "@plimsoll/component-base/process";
import { CliError } from "../seams.ts";

/** Lines are compressed in parts of this size. */
const partLength = 65_536;

/** Whole or not at all: a file that was there stays until then. @throws CliError */
export async function saveRecording(
  recording: Recording,
  file: string,
  { isAnonymous }: { readonly isAnonymous: boolean },
): Promise<void> {
  const own = isAnonymous ? anonymize(recording) : recording;
  try {
    await replaceFile(file, file.endsWith(".gz") ? packed(parts(own)) : parts(own), "same");
  } catch (error) {
    throw new CliError(`cannot write --save ${file}: ${fileErrorText(error, file)}`);
  }
}

function packed(text: Iterable<string>): AsyncIterable<Uint8Array> {
  return Readable.from(text).compose(createGzip({ level: 9 }));
}

function* parts(recording: Recording): Generator<string> {
  let text = "";
  for (const line of recordingLines(recording)) {
    text += line;
    if (text.length < partLength) continue;
    yield text;
    text = "";
  }
  yield text;
}
