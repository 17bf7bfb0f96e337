// The directory of record files: what is in it, and which files go when it is full.
import { createWriteStream } from "node:fs";
import { mkdir, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";

/** Files in the order of their names, which is that of their beginnings. */
export interface RecordDirectory {
  /** Removes the oldest files until the others take no more than so many bytes. */
  keepAtMost(bytes: number): Promise<void>;
  /** A new file, readable by its owner only. */
  create(name: string): Writable;
}

const recordFile = /^decisions-.*\.jsonl\.gz$/;

/** @throws when the directory cannot be made. */
export async function openRecordDirectory(path: string): Promise<RecordDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    async keepAtMost(bytes) {
      const names = (await readdir(path)).filter((name) => recordFile.test(name)).sort();
      const sizes = await Promise.all(
        names.map(async (name) => ({ name, size: (await stat(join(path, name))).size })),
      );
      let total = sizes.reduce((sum, { size }) => sum + size, 0);
      for (const { name, size } of sizes) {
        if (total <= bytes) return;
        await unlink(join(path, name));
        total -= size;
      }
    },
    create: (name) => createWriteStream(join(path, name), { flags: "wx", mode: 0o600 }),
  };
}
