// The directory of record files: what is in it, and which files go when it is full.
import { createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";

/** Files in the order of their names, which is that of their beginnings. */
export interface RecordDirectory {
  /** Removes the oldest files until the others take no more than so many bytes. */
  keepAtMost(bytes: number): Promise<void>;
  /** A new file, readable by its owner only. */
  create(name: string): Writable;
}

/** A process that restarts often, or a disk that is full, leaves files with little in them. */
const maxFiles = 1000;

const recordFile = /^decisions-.*\.jsonl\.gz$/;

/** @throws when the directory cannot be made. */
export async function openRecordDirectory(path: string): Promise<RecordDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    async keepAtMost(bytes) {
      const names = (await readdir(path)).filter((name) => recordFile.test(name)).sort();
      const sizes = await Promise.all(
        names.map(async (name) => ({ name, size: await unlessGone(sizeOf(join(path, name)), 0) })),
      );
      let total = sizes.reduce((sum, { size }) => sum + size, 0);
      for (const [index, { name, size }] of sizes.entries()) {
        if (total <= bytes && sizes.length - index < maxFiles) return;
        await unlessGone(unlink(join(path, name)), undefined);
        total -= size;
      }
    },
    create: (name) => createWriteStream(join(path, name), { flags: "wx", mode: 0o600 }),
  };
}

async function sizeOf(file: string): Promise<number> {
  return (await lstat(file)).size;
}

/** Another process that shares the directory makes space, too. */
async function unlessGone<T>(result: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
