// Writes a recording to a file.
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { fileErrorText } from "@plimsoll/component-base/process";
import { anonymize } from "@plimsoll/history";
import { type Recording, recordingLines } from "@plimsoll/simulator";
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
  const partial = `${file}.partial`;
  const source = Readable.from(parts(own));
  try {
    if (file.endsWith(".gz")) await pipeline(source, createGzip({ level: 9 }), createWriteStream(partial));
    else await pipeline(source, createWriteStream(partial));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new CliError(`cannot write --save ${file}: ${fileErrorText(error, partial)}`);
  }
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
