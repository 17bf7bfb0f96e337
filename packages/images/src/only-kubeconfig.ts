// An esbuild plugin that bundles only the part of @kubernetes/client-node that reads a kubeconfig.
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

const library = "@kubernetes/client-node";

/** What reading a kubeconfig takes of the generated half of the library. */
const generated = `
export * from "./http/http.js";
export * from "./servers.js";
export { createConfiguration } from "./configuration.js";
`;

/**
 * Keeps what reads a kubeconfig out of the client library and leaves its sixteen megabytes of generated classes: the
 * library does not say that its modules have no side effects, and a dynamic import would keep all of them anyway.
 * Should a newer version need more of them, the bundle fails with the name that is missing.
 */
export const onlyKubeconfig: Plugin = {
  name: "only-kubeconfig",
  setup(build) {
    build.onResolve({ filter: /^@kubernetes\/client-node$/ }, async (args) => {
      if (args.kind !== "dynamic-import") return undefined;
      const { importer, resolveDir } = args;
      const found = await build.resolve(library, { importer, resolveDir, kind: "import-statement" });
      return found.errors.length > 0
        ? { errors: found.errors }
        : { path: join(dirname(found.path), "config.js") };
    });
    build.onLoad({ filter: /\/@kubernetes\/client-node\/dist\/gen\/index\.js$/ }, ({ path }) => ({
      contents: generated,
      resolveDir: dirname(path),
    }));
  },
};
