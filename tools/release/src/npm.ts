// The packages for npm: those that others import, and the command line as one bundle.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix } from "node:path";
import { writeTgz } from "./archive.ts";
import { assembleNpmPackage } from "./images/index.ts";
import { inScratch } from "./scratch.ts";
import type { Version } from "./version.ts";

/** Each after those that it needs. */
export const publicPackages = [
  "core",
  "prometheus",
  "rules",
  "simulator",
  "backtest",
  "conformance",
] as const;

/** Fills a folder with tarballs for `npm publish`. */
export async function writeNpm(root: string, folder: string, release: Version): Promise<void> {
  mkdirSync(folder, { recursive: true });
  build(root);
  for (const name of publicPackages) await writePublic(root, name, folder, release);
  await inScratch(async (scratch) => {
    const place = join(scratch, "package");
    await assembleNpmPackage(place, release.revision);
    resolveLinks(place, "cli", release);
    await writeTgz(scratch, join(folder, fileName("cli", release)), release.epochSeconds);
  });
}

/** As npm itself names tarballs of the scope. */
export function fileName(name: string, { version }: Version): string {
  return `plimsoll-${name}-${version}.tgz`;
}

/** From nothing, so that no file of a former build is packed. */
function build(root: string): void {
  const folders = publicPackages.map((name) => join(root, "packages", name));
  for (const folder of folders) rmSync(join(folder, "dist"), { recursive: true, force: true });
  const typescript = createRequire(join(root, "package.json")).resolve("typescript/package.json");
  execFileSync(process.execPath, [join(dirname(typescript), "bin", "tsc"), "-b", ...folders]);
}

async function writePublic(root: string, name: string, folder: string, release: Version): Promise<void> {
  const source = join(root, "packages", name);
  await inScratch(async (scratch) => {
    const [{ filename }] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch], {
        cwd: source,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    ) as readonly [{ readonly filename: string }];
    execFileSync("tar", ["-xzf", filename], { cwd: scratch });
    rmSync(join(scratch, filename));
    const place = join(scratch, "package");
    const notForUsers = ["{dist,src}/testing{,.*,.*.*}", "dist/.tsbuildinfo"];
    for (const path of globSync(notForUsers, { cwd: place })) rmSync(join(place, path), { recursive: true });
    edit(join(place, "package.json"), (text) => publishedManifest(text, release));
    resolveLinks(place, name, release);
    copyFileSync(join(root, "LICENSE"), join(place, "LICENSE"));
    await writeTgz(scratch, join(folder, fileName(name, release)), release.epochSeconds);
  });
}

/** In the README of an unpacked package. */
function resolveLinks(place: string, name: string, { version }: Version): void {
  const inside = new Set(readdirSync(place, { recursive: true, encoding: "utf8" }));
  edit(join(place, "README.md"), (text) =>
    withResolvingLinks(text, { folder: `packages/${name}`, inside, tag: `v${version}` }),
  );
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

interface Manifest {
  readonly exports: object;
  readonly scripts?: object;
  readonly devDependencies?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** With versions instead of the workspace, and without what only a clone needs: scripts, and the entry for tests. */
export function publishedManifest(text: string, { version, revision }: Version): string {
  const { scripts: _, devDependencies: __, exports, dependencies, ...rest } = JSON.parse(text) as Manifest;
  const resolved =
    dependencies &&
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [
        name,
        range.startsWith("workspace:") ? version : range,
      ]),
    );
  const manifest = {
    ...rest,
    exports: Object.fromEntries(Object.entries(exports).filter(([entry]) => entry !== "./testing")),
    gitHead: revision,
    ...(resolved && { dependencies: resolved }),
    publishConfig: { access: "public", provenance: true },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const repository = "https://github.com/plimsoll/plimsoll";

interface LinkedFrom {
  /** Of the package, in the repository. */
  readonly folder: string;
  /** Files of the package. */
  readonly inside: ReadonlySet<string>;
  readonly tag: string;
}

/** Links that leave the package lead to the repository at the tag; those inside stay as they are. */
export function withResolvingLinks(markdown: string, { folder, inside, tag }: LinkedFrom): string {
  return markdown.replaceAll(/\]\(([^)\s]+)\)/g, (whole, target: string) => {
    if (/^([a-z]+:|#)/i.test(target)) return whole;
    const [path = "", anchor] = target.split("#");
    if (inside.has(posix.normalize(path))) return whole;
    const place = posix.join(folder, path);
    return `](${repository}/blob/${tag}/${place}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}
