// Reads .changeset: the notes of what comes next, and the page of each version.
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseChangesetFile } from "@changesets/parse";
import { inc, rcompare, valid } from "semver";

export type Bump = "major" | "minor" | "patch";

export interface Note {
  readonly path: string;
  /** The package whose users notice the change. */
  readonly name: string;
  readonly bump: Bump;
  readonly text: string;
}

export interface Release {
  readonly version: string;
  /** What is said below the heading. */
  readonly page: string;
}

export interface Notes {
  readonly next: readonly Note[];
  /** The newest first. */
  readonly releases: readonly Release[];
}

export const folder = ".changeset";

/** The headings of the changelog, in their order, with the packages whose notes they have. */
export const headings: readonly (readonly [heading: string, ...packages: string[]])[] = [
  ["All parts", "plimsoll"],
  ["metrics-adapter", "metrics-adapter"],
  ["autoscaler", "autoscaler"],
  ["Command line and console", "cli", "console"],
  ["Packages", "core", "prometheus", "rules", "simulator", "backtest", "conformance"],
  ["Chart, images and releases", "release", "images"],
  ["Documentation", "site"],
  ["Demo and sandbox", "demo", "sandbox"],
  ["Tests and measurements", "e2e", "testbed", "storm", "bench"],
];

export const fullName = (name: string) => (name === "plimsoll" ? name : `@plimsoll/${name}`);

/** What a note may name. */
const names: ReadonlySet<string> = new Set(headings.flatMap(([, ...packages]) => packages.map(fullName)));

/** @throws {Error} with every problem of every note, one a line. */
export function readNotes(root: string): Notes {
  const below = join(root, folder);
  const versions = readdirSync(below, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const problems = versions
    .filter((name) => valid(name) !== name)
    .map((name) => `${folder}/${name}: is not a version`);
  const next = globSync("*.md", { cwd: below })
    .filter((name) => name !== "README.md")
    .sort()
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      const note = parseNote(path, readFileSync(join(root, path), "utf8"));
      if (typeof note !== "string") return [note];
      problems.push(`${path}: ${note}`);
      return [];
    });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const page = (version: string) => readFileSync(join(below, version, "README.md"), "utf8").trim();
  return { next, releases: versions.sort(rcompare).map((version) => ({ version, page: page(version) })) };
}

/** @returns the note, or what is wrong with it. */
export function parseNote(path: string, source: string): Note | string {
  let parsed: ReturnType<typeof parseChangesetFile>;
  try {
    parsed = parseChangesetFile(source);
  } catch (error) {
    return `is no note: ${error instanceof Error ? error.message : String(error)}`;
  }
  const [release, ...others] = parsed.releases;
  const text = parsed.summary.trim();
  if (release === undefined || others.length > 0) {
    return `names ${parsed.releases.length} packages: a note names one, "plimsoll" for all parts`;
  }
  const { name, type } = release;
  if (!names.has(name)) return `no heading is for ${name}: name one of ${[...names].join(", ")}`;
  if (type !== "major" && type !== "minor" && type !== "patch") {
    return `${name} has "${type}": it takes patch, minor or major`;
  }
  if (text === "") return "has no text";
  if (type === "patch" && /^(?:Deprecated|Removed|Before you upgrade): /.test(text)) {
    return `is "patch": what begins with "${text.split(":")[0] ?? ""}:" is at least minor`;
  }
  return { path, name, bump: type, text };
}

/** The version that the notes lead to: while the major version is 0, what is not a patch is a minor one. */
export function nextVersion(last: string, notes: readonly Note[]): string | undefined {
  if (notes.length === 0) return undefined;
  const has = (bump: Bump) => notes.some((note) => note.bump === bump);
  const isFirstMajor = last.startsWith("0.");
  const bump = has("major") && !isFirstMajor ? "major" : has("major") || has("minor") ? "minor" : "patch";
  return inc(last, bump) ?? undefined;
}
