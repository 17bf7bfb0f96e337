import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildGoProgram, isExecutable, pinnedVersion } from "../gobuild/go-program.ts";

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

/** Main packages by the name that their binaries have in an envtest folder. */
const sources = {
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  etcd: "go.etcd.io/etcd/server/v3",
} as const;

type ProgramName = keyof typeof sources;

const module = fileURLToPath(new URL("../../controlplane/", import.meta.url));

/** The path of a program built from the pinned modules; building it takes minutes the first time. */
function buildProgram(
  name: ProgramName,
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const program = {
    name,
    source: sources[name],
    module,
    cache: "controlplane",
    linkerFlags: linkerFlags(),
    otherwise: `, or set KUBEBUILDER_ASSETS to a folder with ${Object.keys(sources).join(", ")}`,
  };
  return buildGoProgram(program, report, environment);
}

/** Without a version the servers call themselves v0.0.0-master at /version. */
function linkerFlags(): readonly string[] {
  const version = pinnedVersion(module, "k8s.io/kubernetes");
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  return ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((target) =>
    Object.entries(values).map(([key, value]) => `-X ${target}.${key}=${value}`),
  );
}
