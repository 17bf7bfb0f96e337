// Builds the page of the console into the folder that its argument names, and prints the files of which something is in it.
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What is used of Vite, which the console depends on. */
interface Vite {
  build(options: object): Promise<{ readonly output: readonly Output[] }>;
}

interface Output {
  /** Absent for what is not a script. */
  readonly modules?: Readonly<Record<string, { readonly renderedLength: number }>>;
}

const page = fileURLToPath(new URL("../../../../packages/console/", import.meta.url));

const [outDir] = process.argv.slice(2);
const path = createRequire(join(page, "package.json")).resolve("vite");
const { build } = (await import(pathToFileURL(path).href)) as Vite;
const { output } = await build({
  root: page,
  configFile: join(page, "vite.config.ts"),
  logLevel: "error",
  build: { outDir, emptyOutDir: true },
});
const modules = output.flatMap(({ modules = {} }) => Object.entries(modules));
// Modules that the builder makes up have no path.
const files = modules.filter(([id, { renderedLength }]) => renderedLength > 0 && !id.startsWith("\0"));
process.stdout.write(JSON.stringify([...new Set(files.map(([id]) => id.replace(/\?.*$/, "")))].toSorted()));
