// Writes a file under a temporary name and gives it its own name when it is complete.
import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** `same`: that of the file that is replaced; of a new file, what the umask leaves. */
export type FileMode = number | "same";

export interface Replacement {
  /** Takes the content. */
  readonly output: Writable;
  /** Gives the content its name. Call it when the output has finished. */
  commit(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/**
 * A reader sees the whole old file or the whole new one. Whoever may write to the folder can't have the content written
 * elsewhere: the temporary name is random, and a link of this name is not followed. A link at `file` is replaced.
 * @throws what the file system says, and Error where `file` is a device, a pipe, or a folder, or a link to one
 */
export async function openReplacement(file: string, mode: FileMode): Promise<Replacement> {
  const old = await infoOf(file, lstat);
  // A link to a device is not replaced: /dev/stdout is one, and the whole system would lose it.
  const target = await infoOf(file, stat);
  if (target?.isDirectory() === true)
    throw Object.assign(new Error("it is a directory"), { code: "EISDIR", path: file });
  if (target?.isFile() === false) throw new Error("it is not a regular file; use another one");
  const temporary = join(dirname(file), `.plimsoll-${randomBytes(12).toString("hex")}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  const handle = await aboutFile(file, open(temporary, flags, mode === "same" ? 0o666 : mode));
  const output = handle.createWriteStream();
  const discard = async (): Promise<void> => {
    output.destroy();
    await rm(temporary, { force: true });
  };
  try {
    // Some file systems refuse it.
    if (mode === "same" && old?.isFile() === true) await aboutFile(file, handle.chmod(old.mode & 0o777));
  } catch (error) {
    await discard();
    throw error;
  }
  return { output, commit: () => aboutFile(file, rename(temporary, file)), discard };
}

/** Writes all of it or nothing. @throws as openReplacement, and what the content throws */
export async function replaceFile(
  file: string,
  content: string | Iterable<string> | AsyncIterable<string | Uint8Array>,
  mode: FileMode,
): Promise<void> {
  const { output, commit, discard } = await openReplacement(file, mode);
  try {
    await pipeline(typeof content === "string" ? Readable.from([content]) : content, output);
    await commit();
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Errors name the file that the caller knows. */
async function aboutFile<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}

async function infoOf(file: string, look: (file: string) => Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await look(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
