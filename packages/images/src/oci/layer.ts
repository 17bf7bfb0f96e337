// A root filesystem as the one layer of an image.
import { createHash, type Hash } from "node:crypto";
import { createWriteStream, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import { blobPath, type Descriptor } from "./descriptor.ts";
import { tarOf } from "./tar.ts";

export interface Layer extends Descriptor {
  /** The digest before compression, which the configuration of an image has. */
  readonly diffId: string;
}

/** Compresses a folder into a blob of a layout. The same files and Node give the same bytes. */
export async function addLayer(layout: string, rootfs: string, epochSeconds: number): Promise<Layer> {
  const part = join(layout, "blobs", "layer.part");
  mkdirSync(dirname(part), { recursive: true });
  const [plain, packed] = [createHash("sha256"), createHash("sha256")];
  const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
  await pipeline(
    Readable.from(tarOf(rootfs, epochSeconds)),
    (source: AsyncIterable<Uint8Array>) => hashing(source, plain),
    gzip,
    (source: AsyncIterable<Uint8Array>) => hashing(source, packed),
    createWriteStream(part),
  );
  const layer: Layer = {
    mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
    digest: `sha256:${packed.digest("hex")}`,
    size: statSync(part).size,
    diffId: `sha256:${plain.digest("hex")}`,
  };
  const blob = join(layout, blobPath(layer));
  mkdirSync(dirname(blob), { recursive: true });
  renameSync(part, blob);
  return layer;
}

async function* hashing(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}
