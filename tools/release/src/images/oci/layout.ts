// Images of one program as a file that registries, container engines and kind take.
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { blobPath, type Descriptor } from "./descriptor.ts";
import { addBlob, type Image } from "./image.ts";
import { tarOf } from "./tar.ts";

const indexType = "application/vnd.oci.image.index.v1+json";

/** Where an image is to be pulled from. */
export interface Reference {
  /** ghcr.io/plimsoll/autoscaler */
  readonly repository: string;
  readonly tag: string;
}

/** Completes a layout that has the blobs of its images. @returns the digest by which all of them are pulled */
export function completeLayout(layout: string, images: readonly Image[], reference: Reference): string {
  const manifests = images.map(({ mediaType, digest, size, platform }) => ({
    mediaType,
    digest,
    size,
    platform,
  }));
  const [only] = manifests;
  const whole: Descriptor =
    only !== undefined && manifests.length === 1
      ? only
      : addBlob(layout, indexType, { schemaVersion: 2, mediaType: indexType, manifests });
  const name = `${reference.repository}:${reference.tag}`;
  const annotations = {
    "io.containerd.image.name": name,
    "org.opencontainers.image.ref.name": reference.tag,
  };
  writeJson(layout, "oci-layout", { imageLayoutVersion: "1.0.0" });
  writeJson(layout, "index.json", {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: [{ ...whole, annotations }],
  });
  // What `docker load` reads. It knows no index, so that an archive for it has one image.
  if (images.length === 1) {
    const list = images.map(({ config, layers }) => ({
      Config: blobPath(config),
      RepoTags: [name],
      Layers: layers.map(blobPath),
    }));
    writeJson(layout, "manifest.json", list);
  }
  return whole.digest;
}

/** A layout as one file. */
export async function writeArchive(layout: string, file: string, epochSeconds: number): Promise<void> {
  await pipeline(tarOf(layout, epochSeconds), createWriteStream(file));
}

function writeJson(layout: string, name: string, document: object): void {
  writeFileSync(join(layout, name), JSON.stringify(document));
}
