// Definitions of kinds that other operators bring, as their own modules have them.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

interface Module {
  readonly path: string;
  readonly version: string;
  /** As go.sum has it. */
  readonly sum: string;
  /** What is read of it. */
  readonly files: readonly string[];
}

const modules: readonly Module[] = [
  {
    path: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.85.0",
    sum: "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
    files: [
      "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
      "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
    ],
  },
  {
    path: "github.com/cert-manager/cert-manager",
    version: "v1.21.2",
    sum: "h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=",
    files: ["deploy/crds/cert-manager.io_certificates.yaml", "deploy/crds/cert-manager.io_issuers.yaml"],
  },
];

/**
 * The CustomResourceDefinitions of Prometheus Operator and cert-manager that our manifests have objects of, as YAML. Go fetches
 * their modules; nothing of them is built. Rejects where there is no Go, or where a module is not the pinned one.
 */
export async function readOperatorCrds(): Promise<readonly string[]> {
  const texts = await Promise.all(modules.map(readFiles));
  return texts.flat();
}

async function readFiles({ path, version, sum, files }: Module): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", `${path}@${version}`]);
  const { Dir: folder, Sum: found } = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  if (found !== sum) throw new Error(`${path}@${version} has the sum ${found}, and ${sum} is pinned`);
  return files.map((file) => readFileSync(join(folder, file), "utf8"));
}
