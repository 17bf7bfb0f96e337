// The command line as an archive for each platform, and the manifest by which krew finds them.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { writeTgz } from "./archive.ts";
import { assembleNpmPackage } from "./images/index.ts";
import { addNode, platformsOf, writeLauncher } from "./platforms.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

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

function assemble(bundle: string, place: string, node: string | undefined): void {
  mkdirSync(place, { recursive: true });
  for (const part of ["dist", "package.json", "sbom.cdx.json", "LICENSE", "THIRD-PARTY-NOTICES.txt"]) {
    cpSync(join(bundle, part), join(place, part), { recursive: true });
  }
  writeLauncher(place, {
    name: "kubectl-plimsoll",
    command: "dist/main.cjs",
    option: "--title=kubectl-plimsoll",
  });
  addNode(place, node);
}

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
