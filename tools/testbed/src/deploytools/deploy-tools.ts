import { fileURLToPath } from "node:url";
import { buildGoProgram, pinnedVersion } from "../gobuild/go-program.ts";

/** Paths of the programs that operators install with, and that check what they install. */
export interface DeployTools {
  readonly helm: string;
  readonly kubeconform: string;
  readonly kustomize: string;
}

const module = fileURLToPath(new URL("../../deploytools/", import.meta.url));

/** Builds them, one after the other, from the pinned modules; that takes minutes the first time. */
export async function findDeployTools(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<DeployTools> {
  const helmVersion = pinnedVersion(module, "helm.sh/helm/v4");
  const build = (name: keyof DeployTools, source: string, linkerFlags: readonly string[] = []) =>
    buildGoProgram(
      { name, source, module, cache: "deploytools", linkerFlags, otherwise: "" },
      report,
      environment,
    );
  return {
    helm: await build("helm", "helm.sh/helm/v4/cmd/helm", [
      `-X helm.sh/helm/v4/internal/version.version=${helmVersion}`,
    ]),
    kubeconform: await build("kubeconform", "github.com/yannh/kubeconform/cmd/kubeconform"),
    kustomize: await build("kustomize", "sigs.k8s.io/kustomize/kustomize/v5"),
  };
}

const grafana = fileURLToPath(new URL("../../grafana/", import.meta.url));

/**
 * Builds the program from the pinned module; that takes a minute the first time. It prints a line for each field of a
 * dashboard that is not one of Grafana's, and ends with 1 where there is one.
 */
export function findDashboardCheck(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return buildGoProgram(
    {
      name: "check-dashboards",
      source: ".",
      module: grafana,
      cache: "grafana",
      linkerFlags: [],
      otherwise: "",
    },
    report,
    environment,
  );
}
