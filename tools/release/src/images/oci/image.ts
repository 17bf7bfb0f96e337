// An image: a root filesystem, how it is started, and what it says of itself.

import { createHash, type Hash } from "node:crypto";
import { createWriteStream, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import type { Program } from "../program.ts";
import { uid } from "../rootfs.ts";
import { blobPath, type Descriptor, digestOf } from "./descriptor.ts";
import { tarOf } from "./tar.ts";

export type Architecture = "amd64" | "arm64";

/** What an image was made from. */
export interface Origin {
  /** The commit; undefined outside of a repository. */
  readonly revision: string | undefined;
  readonly epochSeconds: number;
}

export interface Image extends Descriptor {
  readonly platform: { readonly architecture: Architecture; readonly os: "linux" };
  readonly config: Descriptor;
  readonly layers: readonly Layer[];
}

/** Adds an image of one architecture to a layout. */
export async function addImage(
  layout: string,
  request: {
    readonly program: Program;
    readonly architecture: Architecture;
    readonly rootfs: string;
    readonly origin: Origin;
  },
): Promise<Image> {
  const { program, architecture, rootfs, origin } = request;
  const layer = await addLayer(layout, rootfs, origin.epochSeconds);
  const created = new Date(origin.epochSeconds * 1000).toISOString();
  const config = addBlob(layout, "application/vnd.oci.image.config.v1+json", {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${uid}:${uid}`,
      ExposedPorts: { [`${program.port}/tcp`]: {} },
      Entrypoint: [program.path],
      Env: Object.entries(program.environment).map(([name, value]) => `${name}=${value}`),
      WorkingDir: "/",
      Labels: labelsOf(program, origin),
    },
    rootfs: { type: "layers", diff_ids: [layer.diffId] },
    history: [{ created, created_by: `plimsoll ${program.version}` }],
  });
  const { diffId: _, ...layerDescriptor } = layer;
  const manifest = addBlob(layout, "application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config,
    layers: [layerDescriptor],
    annotations: labelsOf(program, origin),
  });
  return { ...manifest, platform: { architecture, os: "linux" }, config, layers: [layer] };
}

/** The keys that the specification of images defines. */
export function labelsOf(
  program: Program,
  { revision, epochSeconds }: Origin,
): Readonly<Record<string, string>> {
  const key = (name: string) => `org.opencontainers.image.${name}`;
  return {
    [key("created")]: new Date(epochSeconds * 1000).toISOString(),
    [key("description")]: program.description,
    [key("licenses")]: "Apache-2.0",
    ...(revision === undefined ? {} : { [key("revision")]: revision }),
    [key("title")]: program.name,
    [key("url")]: "https://plimsoll.dev",
    [key("version")]: program.version,
  };
}

/** Writes a document into a layout. */
export function addBlob(layout: string, mediaType: string, document: object): Descriptor {
  const content = JSON.stringify(document);
  const descriptor = { mediaType, digest: digestOf(content), size: Buffer.byteLength(content) };
  const path = join(layout, blobPath(descriptor));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return descriptor;
}

interface Layer extends Descriptor {
  /** The digest before compression, which the configuration of an image has. */
  readonly diffId: string;
}

/** Compresses a folder into a blob of a layout. The same files and Node give the same bytes. */
async function addLayer(layout: string, rootfs: string, epochSeconds: number): Promise<Layer> {
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
