import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, FetchFailed, keep, unpackedForeign, workFolder } from "./distribution.mjs";
import { Missing } from "./missing.mjs";

/** Node's name of an architecture, and Debian's of the other one that images are made for. */
const OTHERS = { x64: ["arm64", "arm64"], arm64: ["x64", "amd64"] };

/** What Node links to; their libraries of names and threads are in libc6. */
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];

/**
 * Node and its libraries for the architecture of Linux that this machine does not have, in a cache: the variables
 * FOREIGN_NODE and FOREIGN_LIBRARIES.
 */
export function findForeignRuntime(root) {
  const [architecture, debian] = OTHERS[process.arch] ?? [];
  if (architecture === undefined || process.platform !== "linux") {
    throw new Missing(
      `images are made on Linux, on x64 or arm64; this is ${process.platform} ${process.arch}`,
    );
  }
  try {
    return {
      FOREIGN_NODE: lockedNode(root, `node-linux-${architecture}`),
      FOREIGN_LIBRARIES: unpackedForeign("libraries", LIBRARIES, debian),
    };
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    throw new Missing(
      `nothing for images of ${debian}: ${error.message}; they need npm's registry and Debian's apt-get`,
    );
  }
}

/** The program of a package that the lockfile has, and that is not installed here because it is another machine's. */
function lockedNode(root, name) {
  const lock = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
  const [, version, integrity] =
    new RegExp(`${name}@([\\d.]+):\\n\\s+resolution: \\{integrity: (\\S+)\\}`).exec(lock) ?? [];
  if (version === undefined) throw new Missing(`pnpm-lock.yaml does not name ${name}`);
  const cache = cacheFolder();
  const home = join(cache, `${name}-${version}`);
  const node = join(home, "package", "bin", "node");
  if (existsSync(node)) return node;
  const work = workFolder(cache, "node-");
  try {
    console.error(`plimsoll: fetching ${name} ${version}`);
    const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", `${name}@${version}`], work));
    const digest = createHash("sha512")
      .update(readFileSync(join(work, filename)))
      .digest("base64");
    if (`sha512-${digest}` !== integrity) throw new FetchFailed(`${name} is not what pnpm-lock.yaml names`);
    run("tar", ["-xzf", filename], work);
    rmSync(join(work, filename));
    keep(work, home);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return node;
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new FetchFailed((stderr || error?.message || command).trim().split("\n").at(-1));
}
