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
  let source: string | undefined;
  let user = "";
  let entrypoint: readonly string[] = [];
  const env: Record<string, string> = {};
  for (const { word, rest } of instructions.slice(last + 1)) {
    switch (word) {
      case "COPY": {
        const folder = /^--from=build (\S+)\/ \/$/.exec(rest)?.[1];
        if (folder === undefined || source !== undefined) throw new Error(`cannot follow COPY ${rest}`);
        source = folder;
        break;
      }
      case "USER":
        user = rest;
        break;
      case "ENV": {
        const [, name = "", value = ""] = /^(\w+)=(\S*)$/.exec(rest) ?? [];
        if (name === "") throw new Error(`cannot read ENV ${rest}`);
        env[name] = value;
        break;
      }
      case "ENTRYPOINT":
        entrypoint = JSON.parse(rest) as readonly string[];
        break;
      case "EXPOSE":
      case "LABEL":
        break;
      default:
        throw new Error(`${word} in the last stage is not followed`);
    }
  }
  const [uid = 0, gid = 0] = user.split(":").map(Number);
  return { assemble: assembling(instructions.slice(0, last), source), uid, gid, env, entrypoint };
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
