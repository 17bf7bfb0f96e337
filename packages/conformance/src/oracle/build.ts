// Builds the Go program that runs upstream's code, once for each version of its sources.
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { buildArguments, type Release } from "./release.ts";

const run = promisify(execFile);

export interface BuildOptions {
  /** The folder of the Go module. */
  readonly module: string;
  /** Where binaries are kept, outside the repository. */
  readonly cache: string;
  readonly release: Release;
  readonly report: (line: string) => void;
}

/** The path of a binary built from exactly these sources; building takes minutes the first time. */
export async function buildOracle({ module, cache, release, report }: BuildOptions): Promise<string> {
  const binary = join(cache, `oracle-${release}-${await digest(module, release)}`);
  if (await exists(binary)) return binary;
  report(`building the oracle of ${release} (the first time takes minutes)`);
  await mkdir(cache, { recursive: true });
  const unfinished = `${binary}.${randomUUID()}`;
  try {
    await run(
      "go",
      ["build", ...buildArguments(release), "-trimpath", "-ldflags=-s -w", "-o", unfinished, "."],
      {
        cwd: module,
        maxBuffer: 1 << 24,
      },
    );
    await rename(unfinished, binary);
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isAbsent
      ? new Error("the oracle is built with Go, which is not on the PATH", { cause: error })
      : error;
  } finally {
    await rm(unfinished, { force: true });
  }
  await forgetOthers(cache, basename(binary));
  return binary;
}

/** A binary weighs some 70 MB, and the one of older sources is not used again. */
async function forgetOthers(cache: string, kept: string): Promise<void> {
  const family = kept.slice(0, kept.lastIndexOf("-") + 1);
  for (const name of await readdir(cache)) {
    if (/^[0-9a-f]{16}$/.test(name.slice(family.length)) && name.startsWith(family) && name !== kept) {
      await rm(join(cache, name), { force: true });
    }
  }
}

async function digest(module: string, release: Release): Promise<string> {
  const hash = createHash("sha256");
  const sources = (await readdir(module)).filter((name) => /\.(go|s)$/.test(name)).sort();
  const pins = release === "1.37" ? "go" : `releases/${release}`;
  for (const name of [...sources, `${pins}.mod`, `${pins}.sum`]) {
    hash.update(`${name}\0`).update(await readFile(join(module, name)));
  }
  return hash.digest("hex").slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
