// Loaded into a process under test with --import and --expose-gc. On SIGUSR2 it collects all garbage and writes how many bytes are
// in use to the file that $PLIMSOLL_BENCH_PROBE names.
import { renameSync, writeFileSync } from "node:fs";

const file = process.env["PLIMSOLL_BENCH_PROBE"];
if (file !== undefined)
  process.on("SIGUSR2", () => {
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    writeFileSync(`${file}.part`, JSON.stringify({ bytes: heapUsed + arrayBuffers }));
    renameSync(`${file}.part`, file);
  });
