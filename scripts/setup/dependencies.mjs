import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "./lock.mjs";
import { Missing } from "./missing.mjs";

/** Installs the locked dependencies, unless this very lockfile is installed already. */
export function installDependencies(root) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20) throw new Missing(`Node ${process.versions.node} is too old; install Node 20 or newer`);
  const stamp = join(root, "node_modules", ".plimsoll-setup");
  const wanted = fingerprint(root);
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (!isInstalled())
    withLock(join(root, "node_modules", ".plimsoll-installing"), () => {
      if (isInstalled()) return;
      // What is interrupted is neither the one nor the other.
      rmSync(stamp, { force: true });
      install(root);
      writeFileSync(stamp, wanted);
    });
  const bundled = existsSync(join(root, "node_modules", ".bin", "node"));
  if (!bundled && (major < 22 || (major === 22 && minor < 19))) {
    throw new Missing(
      `the packages need Node 22.19 or newer, and no Node for ${process.platform} ${process.arch} comes with them; install Node 24`,
    );
  }
}

function install(root) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = packageManager.slice("pnpm@".length);
  const installed = spawnSync("pnpm", ["--version"], { cwd: root, encoding: "utf8" }).stdout?.trim();
  const [command, prefix] = installed === version ? ["pnpm", []] : ["npx", ["--yes", packageManager]];
  console.error("plimsoll: installing dependencies");
  const run = spawnSync(command, [...prefix, "install", "--frozen-lockfile", "--reporter=append-only"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (run.error !== undefined)
    throw new Missing(`cannot start ${command}: ${run.error.message}; install Node with its npm`);
  if (run.status !== 0) throw new Missing(`'${command} ${prefix.join(" ")} install' failed; see above`);
}

function fingerprint(root) {
  const hash = createHash("sha256").update(process.platform + process.arch);
  const manifests = ["packages", "tools"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name, "package.json")))
    .concat(join("docs", "site", "package.json"));
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", ...manifests]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}
