import { fileURLToPath } from "node:url";
import { buildGoProgram } from "../gobuild/go-program.ts";

/** Paths of a registry, and of a client that checks images and moves them. */
export interface RegistryTools {
  readonly crane: string;
  readonly registry: string;
}

const module = fileURLToPath(new URL("../../registrytools/", import.meta.url));

/** Builds them, one after the other, from the pinned module; that takes a minute the first time. */
export async function findRegistryTools(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RegistryTools> {
  const build = (name: keyof RegistryTools) =>
    buildGoProgram(
      {
        name,
        source: `github.com/google/go-containerregistry/cmd/${name}`,
        module,
        cache: "registrytools",
        linkerFlags: [],
        otherwise: "",
      },
      report,
      environment,
    );
  return { crane: await build("crane"), registry: await build("registry") };
}
