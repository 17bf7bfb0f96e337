// Reads our Dockerfiles.

/** What of a Dockerfile matters to what runs: how its root filesystem comes about, and how it is started. */
export interface ImageRecipe {
  /** The command that fills the folder of which the last stage is a copy, without that folder. */
  readonly assemble: readonly string[];
  readonly uid: number;
  readonly gid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
}

/**
 * Reads a Dockerfile whose last stage starts from nothing and copies one folder of an earlier stage. @throws on
 * anything else in the last stage, because it would not be what the tests run.
 */
export function readDockerfile(text: string): ImageRecipe {
  const instructions = instructionsOf(text);
  const last = instructions.findLastIndex(({ word }) => word === "FROM");
  if (instructions[last]?.rest !== "scratch") throw new Error("the last stage is not FROM scratch");
  const stage = instructions.slice(last + 1);
  const foreign = stage.find(({ word }) => !followed.has(word));
  if (foreign !== undefined) throw new Error(`${foreign.word} in the last stage is not followed`);
  const rests = (name: string) => stage.filter(({ word }) => word === name).map(({ rest }) => rest);
  const [uid = 0, gid = 0] = (rests("USER").at(-1) ?? "").split(":").map(Number);
  return {
    assemble: assembling(instructions.slice(0, last), copiedFolder(rests("COPY"))),
    uid,
    gid,
    env: Object.fromEntries(rests("ENV").map(variable)),
    entrypoint: JSON.parse(rests("ENTRYPOINT").at(-1) ?? "[]") as readonly string[],
  };
}

const followed: ReadonlySet<string> = new Set(["COPY", "USER", "ENV", "ENTRYPOINT", "EXPOSE", "LABEL"]);

function copiedFolder(copies: readonly string[]): string | undefined {
  const [folder, ...others] = copies.map((rest) => {
    const found = /^--from=build (\S+)\/ \/$/.exec(rest)?.[1];
    if (found === undefined) throw new Error(`cannot follow COPY ${rest}`);
    return found;
  });
  if (others.length > 0) throw new Error(`cannot follow COPY ${copies[1]}`);
  return folder;
}

function variable(rest: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^(\w+)=(\S*)$/.exec(rest) ?? [];
  if (name === "") throw new Error(`cannot read ENV ${rest}`);
  return [name, value];
}

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

function instructionsOf(text: string): readonly Instruction[] {
  return text
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .flatMap((line) => {
      const [, word, rest] = /^\s*([A-Za-z]+)\s+(.*\S)\s*$/.exec(line) ?? [];
      return word === undefined || rest === undefined ? [] : [{ word: word.toUpperCase(), rest }];
    });
}

function assembling(build: readonly Instruction[], folder: string | undefined): readonly string[] {
  const runs = build.filter(({ word, rest }) => word === "RUN" && rest.endsWith(` ${folder}`));
  const [run] = runs;
  if (folder === undefined || run === undefined || runs.length > 1)
    throw new Error("no RUN fills the copied folder");
  // Variables in front of the command set times only.
  return run.rest
    .split(" ")
    .filter((word) => !/^\w+=/.test(word))
    .slice(0, -1);
}
