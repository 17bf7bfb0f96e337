// Reads decision records from files and directories, one at a time: a directory may hold more than memory does.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import { fileErrorText } from "@plimsoll/component-base/process";
import { type DecisionRecord, decodeRecord, RecordError } from "@plimsoll/core";
import { createLineSplitter, LineTooLong } from "../../input/line-splitter.ts";
import type { CliSeams } from "../../seams.ts";

/** A record and its place, or what could not be read. */
type ReadRecord =
  | { readonly ok: true; readonly file: string; readonly line: number; readonly record: DecisionRecord }
  | { readonly ok: false; readonly file: string; readonly message: string };

/** Longer than any record, so that a file of something else does not fill the memory. */
const maxRecordLength = 64 * 1024 * 1024;

const recordFile = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/;

/**
 * The records of files: one JSON document, or one a line, also compressed by gzip; "-" is the standard input. Of a
 * directory those of its files, in the order of their names. Rejects on the signal only.
 */
export async function* readRecords(
  paths: readonly string[],
  seams: Pick<CliSeams, "readText" | "signal">,
  onBytes?: OnBytes,
): AsyncGenerator<ReadRecord> {
  for (const path of paths) {
    const files = await filesOf(path);
    if (files.length === 0) yield { ok: false, file: path, message: "no records in this directory" };
    for (const file of files) yield* recordsOf(file, seams, onBytes);
  }
}

/** Is given how many bytes of a file, as it is, were read. */
type OnBytes = (bytes: number) => void;

/** How long the files are together, as they are; what cannot be read is of no length. */
export async function recordBytes(paths: readonly string[]): Promise<number> {
  const files = (await Promise.all(paths.map(filesOf))).flat().filter((file) => file !== "-");
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The path itself where it is not a directory; why it cannot be read is found when it is read. */
async function filesOf(path: string): Promise<readonly string[]> {
  const isDirectory = path !== "-" && (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isDirectory) return [path];
  const names = await readdir(path);
  return names
    .filter((name) => recordFile.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

async function* recordsOf(
  file: string,
  seams: Pick<CliSeams, "readText" | "signal">,
  onBytes: OnBytes | undefined,
): AsyncGenerator<ReadRecord> {
  try {
    yield* parsed(file, documents(textParts(file, seams, onBytes)));
  } catch (error) {
    seams.signal.throwIfAborted();
    if (error instanceof LineTooLong) yield { ok: false, file, message: `${file}: ${error.message}` };
    else yield { ok: false, file, message: `cannot read ${file}: ${fileErrorText(error, file)}` };
  }
}

async function* parsed(file: string, texts: AsyncIterable<TextPart>): AsyncGenerator<ReadRecord> {
  for await (const { text, line, isCut } of texts) {
    try {
      yield { ok: true, file, line, record: decodeRecord(text) };
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      const message = isCut ? `the file ends in the middle of a record: ${error.message}` : error.message;
      yield { ok: false, file, message: `${file}:${line}: ${message}` };
    }
  }
}

/** The text of a file or of the standard input, decompressed, in parts. */
export async function* textParts(
  file: string,
  { readText, signal }: Pick<CliSeams, "readText" | "signal">,
  onBytes?: OnBytes,
): AsyncGenerator<string> {
  const source =
    file === "-" ? Readable.from([Buffer.from(await readText("-"))]) : createReadStream(file, { signal });
  const decoder = new TextDecoder();
  for await (const chunk of unpacked(source, onBytes)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Decompressed, where the first bytes are those of gzip. */
async function* unpacked(source: Readable, onBytes: OnBytes | undefined): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await chunks.next();
  if (first.done === true) return;
  const all = Readable.from(joined(first.value, chunks, onBytes));
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all as AsyncIterable<Uint8Array>;
    return;
  }
  // A file that is still being written has no end yet: what is complete is read.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  all.on("error", (error) => gunzip.destroy(error));
  yield* all.pipe(gunzip) as AsyncIterable<Uint8Array>;
}

async function* joined(
  first: Buffer,
  rest: AsyncIterator<Buffer>,
  onBytes: OnBytes = () => undefined,
): AsyncGenerator<Buffer> {
  onBytes(first.length);
  yield first;
  for await (const chunk of { [Symbol.asyncIterator]: () => rest }) {
    onBytes(chunk.length);
    yield chunk;
  }
}

interface TextPart {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Nothing ends it: the file may have been cut off. */
  readonly isCut: boolean;
}

/** The lines of a stream that are not empty; or all of it, where its first line alone is not a document. */
async function* documents(chunks: AsyncIterable<string>): AsyncGenerator<TextPart> {
  const lines = createLineSplitter(maxRecordLength, "a file of records");
  let [line, length] = [0, 0];
  /** The lines of one document, where the first line begins it. */
  let document: string[] | undefined;
  for await (const chunk of chunks) {
    for (const text of lines.add(chunk)) {
      line += 1;
      if (line === 1 && isOpen(text)) document = [];
      if (document !== undefined) {
        length += text.length + 1;
        if (length > maxRecordLength) throw new LineTooLong(line, maxRecordLength, "a file of records");
        document.push(text);
      } else if (text.trim() !== "") yield { text, line, isCut: false };
    }
  }
  const rest = lines.rest();
  const text = document === undefined ? rest : [...document, rest].join("\n");
  if (text.trim() === "") return;
  const first = document === undefined ? line + 1 : 1;
  yield { text, line: first, isCut: !text.trimEnd().endsWith("}") };
}

/** The beginning of a document that goes on: such as `{`, of JSON that is laid out. */
function isOpen(line: string): boolean {
  return !line.trimEnd().endsWith("}");
}
