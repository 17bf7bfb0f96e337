import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Does something while no other process does it; one that is gone, or that never wrote its number, is no obstacle. */
export function withLock(file, task) {
  mkdirSync(dirname(file), { recursive: true });
  let isSaid = false;
  while (!isOurs(file)) {
    const owner = ownerOf(file);
    if (owner === undefined) {
      removeStale(file);
      continue;
    }
    if (!isSaid) console.error(`plimsoll: waiting for the installation by process ${owner}`);
    isSaid = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    return task();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Takes the lock where there is none. A link appears with its content, so that it is never read without the number. */
function isOurs(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Another process may have removed it too, and taken the lock since: that one is put back. */
function removeStale(file) {
  const moved = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, moved);
    if (ownerOf(moved) !== undefined) linkSync(moved, file);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}

/** The process that has the lock, where it runs. */
function ownerOf(file) {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    process.kill(pid, 0);
    return pid > 0 ? pid : undefined;
  } catch (error) {
    // Of another user.
    return error.code === "EPERM" ? Number(readFileSync(file, "utf8")) : undefined;
  }
}
