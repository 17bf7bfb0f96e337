// Images of both processes for both architectures, as files.
import { cpSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Architecture,
  addImage,
  assembleRootfs,
  completeLayout,
  foreignRuntime,
  type Image,
  ownRuntime,
  type ProgramName,
  programNames,
  programOf,
  type Runtime,
  writeArchive,
} from "./images/index.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

/** Where the images are pulled from once they are pushed. */
export function repositoryOf(name: ProgramName): string {
  return `ghcr.io/plimsoll/${name}`;
}

/** The digest of each program's index of architectures. */
export type Digests = Readonly<Record<ProgramName, string>>;

/** An image beside the usual ones. */
interface Variant {
  readonly name: ProgramName;
  /** Of its tag and its files. */
  readonly suffix: "" | "-cloud";
}

/** The adapter with the libraries for credentials of AWS, Google Cloud and Azure. */
const withClouds: Variant = { name: "metrics-adapter", suffix: "-cloud" };

/**
 * Writes for each program an archive of each architecture (docker load, kind load), one of both (skopeo copy --all),
 * and the bill of materials; for the adapter with credentials of clouds the last two, as the others would be its bytes
 * once more.
 * @throws Error when the environment lacks FOREIGN_NODE or FOREIGN_LIBRARIES
 */
export async function writeImages(
  folder: string,
  release: Version,
  environment: NodeJS.ProcessEnv,
): Promise<Digests> {
  mkdirSync(folder, { recursive: true });
  const runtimes = runtimesOf(environment);
  const digests: [ProgramName, string][] = [];
  for (const name of programNames)
    digests.push([name, await writeProgram({ name, suffix: "" }, folder, release, runtimes)]);
  await writeProgram(withClouds, folder, release, runtimes);
  return Object.fromEntries(digests) as Digests;
}

function runtimesOf(environment: NodeJS.ProcessEnv): ReadonlyMap<Architecture, Runtime> {
  const { FOREIGN_NODE: node, FOREIGN_LIBRARIES: libraries } = environment;
  if (node === undefined || libraries === undefined) {
    throw new Error("FOREIGN_NODE and FOREIGN_LIBRARIES are not set: start this with npm run release");
  }
  const own: Architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const other: Architecture = own === "amd64" ? "arm64" : "amd64";
  const runtime = ownRuntime();
  const foreign = foreignRuntime(other, { node, version: runtime.version, libraries });
  // Always in the same order, on whatever machine.
  return own === "amd64"
    ? new Map([
        [own, runtime],
        [other, foreign],
      ])
    : new Map([
        [other, foreign],
        [own, runtime],
      ]);
}

async function writeProgram(
  { name, suffix }: Variant,
  folder: string,
  release: Version,
  runtimes: ReadonlyMap<Architecture, Runtime>,
): Promise<string> {
  const program = programOf(name);
  const { revision, epochSeconds } = release;
  const version = `${release.version}${suffix}`;
  const hasCloudCredentials = suffix === "-cloud";
  const reference = { repository: repositoryOf(name), tag: version };
  return inScratch(async (scratch) => {
    const all = join(scratch, "all");
    const images: Image[] = [];
    for (const [architecture, node] of runtimes) {
      const rootfs = join(scratch, architecture);
      await assembleRootfs({
        program,
        folder: rootfs,
        node,
        epochSeconds,
        gitHead: revision,
        hasCloudCredentials,
      });
      const origin = { revision, epochSeconds };
      const image = await addImage(all, { program, architecture, rootfs, origin });
      images.push(image);
      if (suffix === "") {
        const one = join(scratch, `${architecture}-layout`);
        linkBlobs(all, one, [image.digest, image.config.digest, ...image.layers.map(({ digest }) => digest)]);
        completeLayout(one, [image], reference);
        await writeArchive(one, join(folder, `${name}-${version}-linux-${architecture}.tar`), epochSeconds);
      }
      if (images.length === 1) {
        cpSync(join(rootfs, "usr/share/plimsoll/sbom.cdx.json"), join(folder, `${name}-${version}.cdx.json`));
      }
    }
    const digest = completeLayout(all, images, reference);
    await writeArchive(all, join(folder, `${name}-${version}.tar`), epochSeconds);
    return digest;
  });
}

function linkBlobs(from: string, to: string, digests: readonly string[]): void {
  const wanted = new Set(digests.map((digest) => digest.replace("sha256:", "")));
  const folder = join(from, "blobs", "sha256");
  for (const blob of readdirSync(folder).filter((one) => wanted.has(one))) {
    const place = join(to, "blobs", "sha256", blob);
    mkdirSync(dirname(place), { recursive: true });
    linkSync(join(folder, blob), place);
  }
}
