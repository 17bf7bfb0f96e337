// Writes a .tgz file by file: no more than one is in memory.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { race } from "@plimsoll/component-base";
import { fileErrorText, openReplacement } from "@plimsoll/component-base/process";
import { type Pack, pack } from "tar-stream";
import { CliError } from "../../seams.ts";

/** A file of the archive, as the manifest lists it. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Archive {
  readonly files: readonly ArchivedFile[];
  /** @throws CliError when the disk fails */
  add(path: string, content: string): Promise<void>;
  close(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** @throws CliError when the file is there, unless it may be replaced */
export async function createArchive(
  file: string,
  options: { readonly mayReplace: boolean; readonly atMs: number },
): Promise<Archive> {
  const { mayReplace, atMs } = options;
  if (!mayReplace && existsSync(file))
    throw new CliError(`${file} exists: use another file with -O, or replace it with --force`);
  const failed = (error: unknown): CliError =>
    new CliError(`cannot write ${file}: ${fileErrorText(error, file)}`);
  // Only its owner reads what a cluster says.
  const { output, commit, discard } = await openReplacement(file, 0o600).catch((error: unknown) => {
    throw failed(error);
  });
  const tar = pack();
  const gzip = createGzip();
  const written = finished(tar.pipe(gzip).pipe(output));
  // Read by add and close; a failure between them is no unhandled rejection.
  written.catch(() => undefined);
  const orFailure = async (work: Promise<void>): Promise<void> => {
    try {
      await race([work, written]);
    } catch (error) {
      throw failed(error);
    }
  };
  const files: ArchivedFile[] = [];
  return {
    files,
    async add(path, content) {
      const bytes = Buffer.from(content);
      const entry = { name: path, size: bytes.length, mode: 0o600, mtime: new Date(atMs) };
      await orFailure(addEntry(tar, entry, bytes));
      files.push({ path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
    },
    async close() {
      tar.finalize();
      try {
        await written;
        await commit();
      } catch (error) {
        throw failed(error);
      }
    },
    async discard() {
      tar.destroy();
      gzip.destroy();
      await discard();
    },
  };
}

function addEntry(tar: Pack, entry: Parameters<Pack["entry"]>[0], bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry(entry, bytes, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
