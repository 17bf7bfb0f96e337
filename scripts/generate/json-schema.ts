// JSON Schemas of the types of a package.
import { join } from "node:path";
import { createGenerator, createProgram, DEFAULT_CONFIG } from "ts-json-schema-generator";
import { root } from "../source/files.ts";

export type TypeInFile = readonly [type: string, file: string];

/** The schemas of types, each in a file below `src` of the package. One program reads all of them. */
export function schemasOf(folder: string, types: Readonly<Record<string, TypeInFile>>) {
  const config = {
    ...DEFAULT_CONFIG,
    tsconfig: join(root, folder, "tsconfig.json"),
    path: join(
      root,
      folder,
      "src",
      `{${Object.values(types)
        .map(([, file]) => file)
        .join(",")},}`,
    ),
    // A version may get more fields, and objects of a cluster have more than a decision reads.
    additionalProperties: true,
    // A Date-like object is encoded as data.
    functions: "hide",
    // The sources are checked elsewhere, by the compiler that they are written for.
    skipTypeCheck: true,
  } as const;
  const tsProgram = createProgram(config);
  return Object.entries(types).map(([name, [title]]) => ({
    name,
    title,
    schema: createGenerator({ ...config, tsProgram, type: title }).createSchema(title),
  }));
}
