// Writes a .tgz file by file: no more than one is in memory.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { unlink } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { fileErrorText } from "@plimsoll/component-base/process";
import { pack } from "tar-stream";
import { CliError } from "../seams.ts";
import { secretIn } from "./secrets.ts";

/** A file of the archive, as the manifest lists it. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Archive {
  readonly files: readonly ArchivedFile[];
  /** @throws CliError when there is a secret in it, or the disk fails */
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
  // Only its owner reads what a cluster says.
  const output = createWriteStream(file, { flags: mayReplace ? "w" : "wx", mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    output.once("open", () => resolve());
    output.once("error", (error: NodeJS.ErrnoException) => reject(new CliError(openError(error, file))));
  });
  const tar = pack();
  const gzip = createGzip();
  const written = finished(tar.pipe(gzip).pipe(output));
  // Read by add and close; a failure between them is no unhandled rejection.
  written.catch(() => undefined);
  const orFailure = async (work: Promise<void>): Promise<void> => {
    try {
      await Promise.race([work, written]);
    } catch (error) {
      throw new CliError(`cannot write ${file}: ${fileErrorText(error, file)}`);
    }
  };
  const files: ArchivedFile[] = [];
  return {
    files,
    async add(path, content) {
      const secret = secretIn(content);
      if (secret !== undefined) throw new CliError(`${path} has ${secret}: no bundle was written`);
      const bytes = Buffer.from(content);
      const entry = { name: path, size: bytes.length, mode: 0o600, mtime: new Date(atMs) };
      await orFailure(
        new Promise((resolve, reject) => {
          tar.entry(entry, bytes, (error) =>
            error === null || error === undefined ? resolve() : reject(error),
          );
        }),
      );
      files.push({ path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
    },
    async close() {
      tar.finalize();
      await orFailure(written);
    },
    async discard() {
      tar.destroy();
      gzip.destroy();
      output.destroy();
      await unlink(file).catch(() => undefined);
    },
  };
}

function openError(error: NodeJS.ErrnoException, file: string): string {
  return error.code === "EEXIST"
    ? `${file} is there already: name another file with -O, or replace it with --force`
    : `cannot write ${file}: ${fileErrorText(error, file)}`;
}
