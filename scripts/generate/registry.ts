// The generated files, and what each of them is made of.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../source/files.ts";
import { apiReports } from "./api-report.ts";
import { architecture } from "./architecture.ts";
import { changelog } from "./changelog.ts";
import { cliSchemas } from "./cli-schemas.ts";
import { crdDocs } from "./crd-docs.ts";
import { crds } from "./crds.ts";
import { deploy } from "./deploy.ts";
import { doctor } from "./doctor.ts";
import { editorSchemas } from "./editor-schemas.ts";
import { flagDocs } from "./flags.ts";
import { metrics } from "./metrics.ts";
import { performance } from "./performance.ts";
import { recipeBook } from "./recipes.ts";
import { recordSchema } from "./record-schema.ts";
import { sandboxFields } from "./sandbox-fields.ts";
import { testing } from "./testing.ts";

/** The text of each file, by its path below the root. A file without a text must not exist. */
type Files = Readonly<Record<string, string | undefined>>;

interface Generator {
  readonly name: string;
  /** What the files are made of, in words. */
  readonly inputs: string;
  /** @throws with a sentence when the inputs are wrong */
  readonly files: () => Files;
}

/** In the order in which they have to run: deploy copies the CRDs. */
export const generators: readonly Generator[] = [
  { name: "API report", inputs: "the exports of @plimsoll/core", files: apiReports },
  { name: "record schema", inputs: "the type of decision records", files: recordSchema },
  { name: "CLI schemas", inputs: "the types of the documents", files: cliSchemas },
  { name: "CRDs", inputs: "their definitions", files: crds },
  { name: "recipes", inputs: "packages/recipes/book", files: recipeBook },
  { name: "editor schemas", inputs: "the CRDs and the types of the HTTP APIs", files: editorSchemas },
  { name: "sandbox fields", inputs: "the models of the Kubernetes client", files: sandboxFields },
  { name: "deploy", inputs: "other files in deploy", files: deploy },
  { name: "flags", inputs: "the tables of flags", files: flagDocs },
  { name: "CRD docs", inputs: "the definitions of our CRDs", files: crdDocs },
  { name: "metrics", inputs: "the definitions of the metrics", files: metrics },
  { name: "architecture", inputs: "scripts/boundaries/table.ts", files: architecture },
  { name: "doctor", inputs: "the table of rules", files: doctor },
  { name: "performance", inputs: "tools/bench/results.json", files: performance },
  { name: "testing", inputs: "scripts/tasks.ts", files: testing },
  { name: "changelog", inputs: "the notes in .changeset", files: changelog },
];

/** One line for each file that differs from its inputs. */
export function outdated({ inputs, files }: Generator): readonly string[] {
  return Object.entries(files())
    .filter(([path, text]) => read(join(root, path)) !== text)
    .map(([path]) => `${path} differs from ${inputs}: run npm run generate`);
}

export function write({ files }: Generator): void {
  for (const [path, text] of Object.entries(files())) {
    const file = join(root, path);
    if (text === undefined) rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
