// An image: a root filesystem, how it is started, and what it says of itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Program } from "../program.ts";
import { uid } from "../rootfs.ts";
import { blobPath, type Descriptor, digestOf } from "./descriptor.ts";
import { addLayer, type Layer } from "./layer.ts";

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
