// The command line as an archive for each platform, and the manifest by which krew finds them.
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleNpmPackage } from "@plimsoll/images";
import { stringify } from "yaml";
import { writeTgz } from "./archive.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

interface Platform {
  readonly os: "linux" | "darwin";
  readonly arch: "amd64" | "arm64";
  /** The Node that comes with it; without one the user's own runs it. */
  readonly node: string | undefined;
}

/** Writes the archives and the manifest. @throws Error when the environment lacks FOREIGN_NODE */
export async function writePlugin(
  folder: string,
  release: Version,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { version, revision, epochSeconds } = release;
  const entries: object[] = [];
  await inScratch(async (scratch) => {
    const bundle = join(scratch, "bundle");
    await assembleNpmPackage(bundle, revision);
    for (const platform of platformsOf(environment)) {
      const { os, arch } = platform;
      const name = `plimsoll-${version}-${os}-${arch}`;
      const place = join(scratch, name);
      assemble(bundle, place, platform.node);
      const file = `${name}.tar.gz`;
      await writeTgz(place, join(folder, file), epochSeconds);
      const sha256 = createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex");
      entries.push({
        selector: { matchLabels: { os, arch } },
        uri: `https://github.com/plimsoll/plimsoll/releases/download/v${version}/${file}`,
        sha256,
        bin: "kubectl-plimsoll",
      });
    }
  });
  writeFileSync(join(folder, "plimsoll.yaml"), stringify(manifest(version, entries), { lineWidth: 120 }));
}

function platformsOf({ FOREIGN_NODE: foreign }: NodeJS.ProcessEnv): readonly Platform[] {
  if (foreign === undefined) throw new Error("FOREIGN_NODE is not set: start this with npm run release");
  const isArm = process.arch === "arm64";
  return [
    { os: "linux", arch: "amd64", node: isArm ? foreign : process.execPath },
    { os: "linux", arch: "arm64", node: isArm ? process.execPath : foreign },
    { os: "darwin", arch: "amd64", node: undefined },
    { os: "darwin", arch: "arm64", node: undefined },
  ];
}

function assemble(bundle: string, place: string, node: string | undefined): void {
  mkdirSync(place, { recursive: true });
  for (const part of ["dist", "package.json", "sbom.cdx.json", "LICENSE", "THIRD-PARTY-NOTICES.txt"]) {
    cpSync(join(bundle, part), join(place, part), { recursive: true });
  }
  writeFileSync(join(place, "kubectl-plimsoll"), launcher);
  chmodSync(join(place, "kubectl-plimsoll"), 0o755);
  if (node === undefined) return;
  copyFileSync(node, join(place, "node"));
  chmodSync(join(place, "node"), 0o755);
}

/** krew links to it, so that its own folder is found through the link. */
const launcher = `#!/bin/sh
program=$0
while [ -L "$program" ]; do
  target=$(readlink "$program")
  case $target in
    /*) program=$target ;;
    *) program=$(dirname "$program")/$target ;;
  esac
done
here=$(CDPATH= cd "$(dirname "$program")" && pwd -P)
node=$here/node
[ -x "$node" ] || node=$(command -v node) || {
  echo "plimsoll: there is no node on the PATH: install Node 22.19 or newer" >&2
  exit 1
}
exec "$node" "$here/dist/main.cjs" "$@"
`;

function manifest(version: string, platforms: readonly object[]): object {
  return {
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "plimsoll" },
    spec: {
      version: `v${version}`,
      homepage: "https://plimsoll.dev",
      shortDescription: "Explain and simulate autoscaling",
      description:
        "Explains why a workload has its replicas, on any cluster and with nothing installed in it,\n" +
        "finds what is wrong with autoscalers, simulates changes, and tests them on history.\n",
      platforms,
    },
  };
}
