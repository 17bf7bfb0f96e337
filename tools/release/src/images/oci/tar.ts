// A folder as a tar archive whose bytes depend on names, modes and contents only.
import { once } from "node:events";
import { createReadStream, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";

const stickyBit = 0o1000;

/** Sorted, of root, each file with the same time. @returns a stream, which fails when a file cannot be read */
export function tarOf(folder: string, epochSeconds: number): Pack {
  const archive = pack();
  addFolder(archive, folder, "", new Date(epochSeconds * 1000)).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return archive;
}

async function addFolder(archive: Pack, root: string, inside: string, mtime: Date): Promise<void> {
  for (const name of readdirSync(join(root, inside)).toSorted()) {
    const path = inside === "" ? name : `${inside}/${name}`;
    const status = lstatSync(join(root, path));
    const { mode, size } = status;
    if (status.isDirectory()) {
      // Not the mode on disk: that has the umask of whoever made it.
      const folderMode = mode & stickyBit ? 0o1777 : 0o755;
      archive.entry({ name: `${path}/`, type: "directory", mode: folderMode, mtime });
      await addFolder(archive, root, path, mtime);
    } else {
      const entry = archive.entry({ name: path, size, mode: mode & 0o777, mtime });
      const written = once(entry, "finish");
      await pipeline(createReadStream(join(root, path)), entry);
      await written;
    }
  }
}
