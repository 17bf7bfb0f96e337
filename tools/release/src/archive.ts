// A folder as a .tgz whose bytes depend on its files alone.
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { tarOf } from "./images/index.ts";

/** All files get the time. */
export async function writeTgz(folder: string, file: string, epochSeconds: number): Promise<void> {
  await pipeline(tarOf(folder, epochSeconds), createGzip(), createWriteStream(file));
}
