// The instants of decisions, out of what --record-inputs wrote.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";

interface Record {
  readonly input: { readonly nowMs: number; readonly hpa: { readonly metadata: { readonly name: string } } };
}

/** Of one autoscaler, ascending. A file that is still being written is read as far as it goes. */
export function decidedInstants(folder: string, name: string): readonly number[] {
  const records = globSync("*.jsonl.gz", { cwd: folder }).flatMap((file) => {
    const text = gunzipSync(readFileSync(join(folder, file)), { finishFlush: constants.Z_SYNC_FLUSH });
    const lines = text.toString("utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record);
  });
  const own = records.filter(({ input }) => input.hpa.metadata.name === name);
  return own.map(({ input }) => input.nowMs).toSorted((a, b) => a - b);
}
