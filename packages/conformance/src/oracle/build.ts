// Builds the Go programs that run upstream's code, once for each version of their sources.
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

export interface GoProgram {
  /** Of its binary, and for a person. */
  readonly name: string;
  /** The folder of the Go module. */
  readonly module: string;
  /** The module file with the versions, without its ending: `go` or `releases/1.35`. */
  readonly pins: string;
  readonly tags: readonly string[];
  /** Its sources need this Go, which the module proxy has; absent: the one on the PATH. */
  readonly toolchain?: string;
}

/** @param xdgCache the variable XDG_CACHE_HOME. */
export function programCache(xdgCache: string | undefined): string {
  return join(xdgCache ?? join(homedir(), ".cache"), "plimsoll");
}

export interface BuildOptions {
  readonly program: GoProgram;
  /** Where binaries are kept, outside the repository. */
  readonly cache: string;
  readonly report: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The path of a binary built from exactly these sources; building takes minutes the first time. */
export async function buildProgram({ program, cache, report, environment }: BuildOptions): Promise<string> {
  const binary = join(cache, `${program.name}-${await digest(program)}`);
  if (await exists(binary)) return binary;
  report(`building ${program.name} (the first time takes minutes)`);
  await mkdir(cache, { recursive: true });
  const { toolchain } = program;
  const unfinished = `${binary}.${randomUUID()}`;
  try {
    await promisify(execFile)(
      "go",
      ["build", ...selection(program), "-trimpath", "-ldflags=-s -w", "-o", unfinished, "."],
      {
        cwd: program.module,
        env: { ...environment, ...(toolchain === undefined ? {} : { GOTOOLCHAIN: toolchain }) },
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

/** What `go build` and `go list` need to know of the versions. */
export function selection({ pins, tags }: GoProgram): readonly string[] {
  return [`-modfile=${pins}.mod`, ...(tags.length === 0 ? [] : [`-tags=${tags.join(",")}`])];
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

async function digest({ module, pins }: GoProgram): Promise<string> {
  const hash = createHash("sha256");
  const sources = (await readdir(module)).filter((name) => /\.(go|s)$/.test(name)).sort();
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
