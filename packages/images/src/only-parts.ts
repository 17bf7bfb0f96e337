// An esbuild plugin that bundles only the parts of @kubernetes/client-node that we use.
import { dirname } from "node:path";
import type { Plugin } from "esbuild";

const library = "@kubernetes/client-node";

/**
 * What these modules take of the generated half of the library. Forwarding a port to a pod needs no API; that to a
 * Service, which we do not use, would.
 */
const generated = `
export * from "./http/http.js";
export * from "./servers.js";
export { createConfiguration } from "./configuration.js";
export const AppsV1Api = undefined;
export const CoreV1Api = undefined;
`;

/** Modules of the library: what the processes use, and what the command line does. */
export type LibraryPart = "config.js" | "portforward.js";

const partsNamespace = "client-node-parts";

/**
 * Keeps these modules of the client library and leaves its sixteen megabytes of generated classes: the library does not
 * say that its modules have no side effects, and a dynamic import would keep all of them anyway. Should a newer version
 * need more of them, the bundle fails with the name that is missing.
 */
export function onlyParts(parts: readonly LibraryPart[]): Plugin {
  return {
    name: "only-parts-of-client-node",
    setup(build) {
      build.onResolve({ filter: /^@kubernetes\/client-node$/ }, async (args) => {
        if (args.kind !== "dynamic-import") return undefined;
        const { importer, resolveDir } = args;
        const found = await build.resolve(library, { importer, resolveDir, kind: "import-statement" });
        return found.errors.length > 0
          ? { errors: found.errors }
          : { path: dirname(found.path), namespace: partsNamespace };
      });
      build.onLoad({ filter: /.*/, namespace: partsNamespace }, ({ path }) => ({
        contents: parts.map((part) => `export * from "./${part}";`).join("\n"),
        resolveDir: path,
      }));
      build.onLoad({ filter: /\/@kubernetes\/client-node\/dist\/gen\/index\.js$/ }, ({ path }) => ({
        contents: generated,
        resolveDir: dirname(path),
      }));
    },
  };
}

/** Whether an input of a bundle is the list of parts, and no file. */
export function isVirtual(path: string): boolean {
  return path.startsWith(`${partsNamespace}:`);
}
