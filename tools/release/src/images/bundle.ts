import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cyclonedxEsbuildPlugin } from "@cyclonedx/cyclonedx-esbuild";
import { build, type Plugin } from "esbuild";
import { installedFolders, packageFolders } from "./package-folders.ts";
import type { Program } from "./program.ts";
import { type CycloneDx, withoutVirtual } from "./sbom.ts";

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
type LibraryPart = "config.js" | "portforward.js";

const partsNamespace = "client-node-parts";

/**
 * Keeps these modules of the client library and leaves its sixteen megabytes of generated classes: the library does not
 * say that its modules have no side effects, and a dynamic import would keep all of them anyway. Should a newer version
 * need more of them, the bundle fails with the name that is missing.
 */
function onlyParts(parts: readonly LibraryPart[]): Plugin {
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
function isVirtual(path: string): boolean {
  return path.startsWith(`${partsNamespace}:`);
}

/** A process as one file of JavaScript, with what is inside of it. */
export interface Bundle {
  /** Starts with the line that names its interpreter, so that it can be executed. */
  readonly code: Uint8Array;
  /** CycloneDX 1.6 in JSON: every package of which something was bundled. */
  readonly sbom: CycloneDx;
  /** Folders of these packages, for their licenses. */
  readonly packages: readonly string[];
}

/** Where the image has its runtime. */
export const nodePath = "/nodejs/bin/node";

/** What is bundled, and how. */
export interface BundleRequest {
  readonly folder: string;
  /** In the folder. */
  readonly entry: string;
  readonly format: "esm" | "cjs";
  /** Oldest release of Node that runs it. */
  readonly target: string;
  /** The first lines of the file. */
  readonly banner: string;
  readonly define?: Readonly<Record<string, string>>;
  /** Of the client library. */
  readonly parts: readonly LibraryPart[];
  /** Packages that are not bundled: what needs one says so. */
  readonly external?: readonly string[];
}

/** Credentials of clouds for sources of the adapter: most images do without these. */
const cloudLibraries = [
  "@aws-sdk/credential-provider-node",
  "@azure/core-rest-pipeline",
  "@azure/identity",
  "aws4fetch",
  "google-auth-library",
];

/** A process of an image as one file. */
export async function bundle(
  program: Program,
  { hasCloudCredentials = false }: { readonly hasCloudCredentials?: boolean } = {},
): Promise<Bundle> {
  const { folder, entry, nodeOption } = program;
  return await bundleFile({
    folder,
    entry,
    format: "esm",
    target: "node24",
    banner: `#!${nodePath} ${nodeOption}\n${prelude(program)}`,
    parts: ["config.js"],
    external: hasCloudCredentials ? [] : cloudLibraries,
  });
}

/** The same sources and packages give the same bytes. */
export async function bundleFile(request: BundleRequest): Promise<Bundle> {
  const { folder, entry, format, target, banner, define = {}, parts, external = [] } = request;
  const scratch = mkdtempSync(join(tmpdir(), "plimsoll-bundle-"));
  try {
    const outfile = join(scratch, "main.js");
    const sbomFile = join(scratch, "bom.json");
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      target,
      format,
      conditions: ["@plimsoll/source"],
      external: [...external],
      define: { "process.env.NODE_ENV": '"production"', ...define },
      minify: true,
      // Stack traces and error classes keep their names.
      keepNames: true,
      legalComments: "none",
      metafile: true,
      logLevel: "error",
      banner: { js: banner },
      plugins: [
        onlyParts(parts),
        cyclonedxEsbuildPlugin({
          outputFile: sbomFile,
          outputReproducible: true,
          validate: false,
          logLevel: "error",
        }),
      ],
    });
    const [output] = Object.values(metafile.outputs);
    const inputs = Object.entries(output?.inputs ?? {}).filter(
      ([path, { bytesInOutput }]) => bytesInOutput > 0 && !isVirtual(path),
    );
    return {
      code: readFileSync(outfile),
      sbom: withoutVirtual(JSON.parse(readFileSync(sbomFile, "utf8")) as CycloneDx),
      packages: installedFolders(packageFolders(inputs.map(([path]) => join(folder, path)))),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** CommonJS inside of the bundle loads modules of Node by `require`. */
function prelude({ path }: Program): string {
  return [
    'import { createRequire as plimsollRequire } from "node:module";',
    "const require = plimsollRequire(import.meta.url);",
    // Charts that name the program as its own first argument are started the same way.
    `if (process.argv[2] === "${path}") process.argv.splice(2, 1);`,
  ].join("\n");
}
