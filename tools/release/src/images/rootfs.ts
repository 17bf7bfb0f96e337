// Fills the root filesystem of an image.
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, nodePath } from "./bundle.ts";
import { notices } from "./notices.ts";
import { installedFolders } from "./package-folders.ts";
import { copyPage } from "./page.ts";
import type { Program } from "./program.ts";
import type { Runtime } from "./runtime.ts";
import { withPackages, withRuntime } from "./sbom.ts";

export interface RootfsOptions {
  readonly program: Program;
  /** Absent or empty. */
  readonly folder: string;
  readonly node: Runtime;
  /** The time of every file. */
  readonly epochSeconds: number;
  /** The commit; undefined where it is unknown. */
  readonly gitHead: string | undefined;
  /** With the libraries for credentials of AWS, Google Cloud and Azure. */
  readonly hasCloudCredentials?: boolean;
}

export const uid = 10_001;

const license = fileURLToPath(new URL("../../../../LICENSE", import.meta.url));

/** Fills a folder with everything that an image holds: a process, its runtime, and no shell. */
export async function assembleRootfs(options: RootfsOptions): Promise<void> {
  const { program, node, folder, epochSeconds, gitHead, hasCloudCredentials = false } = options;
  const { code, sbom, packages } = await bundle(program, { hasCloudCredentials });
  const at = (path: string): string => {
    const inside = join(folder, path);
    mkdirSync(dirname(inside), { recursive: true });
    return inside;
  };
  const write = (path: string, content: string | Uint8Array, mode = 0o644): void => {
    writeFileSync(at(path), content);
    chmodSync(at(path), mode);
  };
  const copy = (from: string, path: string, mode: number): void => {
    copyFileSync(from, at(path));
    chmodSync(at(path), mode);
  };

  // Where a container has these mounted.
  for (const path of ["dev", "proc", "sys", "tmp"]) mkdirSync(at(path), { recursive: true });
  chmodSync(at("tmp"), 0o1777);
  write("etc/passwd", `root:x:0:0:root:/:/nonexistent\nplimsoll:x:${uid}:${uid}::/:/nonexistent\n`);
  write("etc/group", `root:x:0:\nplimsoll:x:${uid}:\n`);
  write("etc/nsswitch.conf", "hosts: files dns\n");

  copy(node.path, nodePath, 0o755);
  for (const { from, to } of node.libraries) copy(from, to, 0o755);

  write(program.path, code, 0o755);
  // Beside the program: it says its version, and that its file is an ES module.
  write("package.json", json({ name: program.name, version: program.version, gitHead, type: "module" }));
  // For its flag --console-directory.
  const ofPage = program.name === "autoscaler" ? copyPage(at("usr/share/plimsoll/console")) : [];
  const bill = withPackages(withRuntime(sbom, node.version), ofPage);
  write("usr/share/plimsoll/sbom.cdx.json", json(bill));
  write("usr/share/plimsoll/LICENSE", readFileSync(license));
  write("usr/share/plimsoll/THIRD-PARTY-NOTICES.txt", notices([...packages, ...installedFolders(ofPage)]));

  setTimes(folder, epochSeconds);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function setTimes(folder: string, epochSeconds: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setTimes(path, epochSeconds);
    else lutimesSync(path, epochSeconds, epochSeconds);
  }
  lutimesSync(folder, epochSeconds, epochSeconds);
}
