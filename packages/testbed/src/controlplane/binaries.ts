import { join } from "node:path";
import { isExecutable } from "../gobuild/go-program.ts";
import { buildProgram, type ProgramName } from "./build.ts";

/** Paths of the control plane's programs. */
export interface ControlPlaneBinaries {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
}

/**
 * The programs of $KUBEBUILDER_ASSETS; those that are not there (envtest's bundles lack the controller manager) are
 * built from the pinned modules, one after the other. @throws when there is no Go for that
 */
export async function findBinaries(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ControlPlaneBinaries> {
  const find = async (name: ProgramName): Promise<string> => {
    const assets = environment["KUBEBUILDER_ASSETS"];
    const given = assets ? join(assets, name) : undefined;
    return given !== undefined && isExecutable(given) ? given : buildProgram(name, report, environment);
  };
  return {
    etcd: await find("etcd"),
    apiServer: await find("kube-apiserver"),
    controllerManager: await find("kube-controller-manager"),
  };
}
