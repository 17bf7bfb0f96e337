import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type ProgramName = "metrics-adapter" | "autoscaler";

/** A process of the product as an image holds it. */
export interface Program {
  readonly name: ProgramName;
  readonly version: string;
  /** Its package. */
  readonly folder: string;
  /** Its main module in there. */
  readonly entry: string;
  /** Where the image has it; a manifest made for the program that this one takes the place of starts it there. */
  readonly path: string;
  /** On which it serves when no option says otherwise. */
  readonly port: number;
  /** One sentence, for the labels of its image. */
  readonly description: string;
  /** An option for its Node; there can be one. */
  readonly nodeOption: string;
  /** Variables of its environment, which its Dockerfile has too. */
  readonly environment: Readonly<Record<string, string>>;
}

const paths: Readonly<Record<ProgramName, string>> = {
  "metrics-adapter": "/adapter",
  autoscaler: "/autoscaler",
};

const ports: Readonly<Record<ProgramName, number>> = { "metrics-adapter": 6443, autoscaler: 8085 };

// A full young generation is copied, and nothing else happens meanwhile: a larger one would copy for longer, and take more memory.
const nodeOption = "--max-semi-space-size=8";
// One pool of memory for all threads: each has its own otherwise, most of which is not used.
const environment = { MALLOC_ARENA_MAX: "1" };

/** Both, sorted. */
export const programNames: readonly ProgramName[] = ["autoscaler", "metrics-adapter"];

export function isProgramName(name: string | undefined): name is ProgramName {
  return name !== undefined && Object.hasOwn(paths, name);
}

export function programOf(name: ProgramName): Program {
  const folder = fileURLToPath(new URL(`../../../../packages/${name}/`, import.meta.url));
  const description = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as {
    version: string;
    description: string;
  };
  return {
    name,
    version: description.version,
    description: description.description,
    folder,
    entry: "src/main.ts",
    path: paths[name],
    port: ports[name],
    nodeOption,
    environment,
  };
}
