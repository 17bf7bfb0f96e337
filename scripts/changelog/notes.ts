// Reads the notes of changes from .changeset: those of what comes next, and those of each version.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseChangesetFile } from "@changesets/parse";
import { compare, inc, valid } from "semver";

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
  readonly about: string;
  readonly notes: readonly Note[];
}

export interface Notes {
  readonly next: readonly Note[];
  /** The newest first. */
  readonly releases: readonly Release[];
}

export const folder = ".changeset";

/** @throws {Error} with every problem of every note, one a line. */
export function readNotes(root: string, names: ReadonlySet<string>): Notes {
  const problems: string[] = [];
  const folders = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const isVersion = (name: string) => valid(name) === name;
  const versions = folders.filter(isVersion).sort(compare);
  problems.push(
    ...folders.filter((name) => !isVersion(name)).map((name) => `${folder}/${name}: is not a version`),
  );
  const releases = versions.map((version, index): Release => {
    const readme = join(root, folder, version, "README.md");
    const about = existsSync(readme) ? readFileSync(readme, "utf8").trim() : "";
    const notes = notesOf(`${folder}/${version}`);
    const before = versions[index - 1];
    const due = before === undefined ? undefined : nextVersion(before, notes);
    if (due !== undefined && compare(due, version) > 0) {
      problems.push(`${folder}/${version}: after ${String(before)} its notes need at least ${due}`);
    }
    return { version, about, notes };
  });
  const next = notesOf(folder);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return { next, releases: releases.toReversed() };

  function notesOf(below: string): readonly Note[] {
    return globSync("*.md", { cwd: join(root, below) })
      .filter((name) => name !== "README.md")
      .sort()
      .flatMap((name) => {
        const path = `${below}/${name}`;
        const note = parseNote(path, readFileSync(join(root, path), "utf8"), names);
        if (typeof note !== "string") return [note];
        problems.push(`${path}: ${note}`);
        return [];
      });
  }
}

/** @returns the note, or what is wrong with it. */
export function parseNote(path: string, source: string, names: ReadonlySet<string>): Note | string {
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
