import {
  type ControlPlaneBinaries,
  type DeployTools,
  findBinaries,
  findDeployTools,
  findTestAdapter,
} from "@plimsoll/testbed";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly binaries: ControlPlaneBinaries;
    readonly deployTools: DeployTools;
    /** The path of a real aggregated server of metrics. */
    readonly testAdapter: string;
  }
}

/** Once before all tests: the first time on a machine this builds for minutes. */
export async function setup(project: TestProject): Promise<void> {
  const report = (line: string) => process.stderr.write(`control plane: ${line}\n`);
  project.provide("binaries", await findBinaries(report));
  project.provide("testAdapter", await findTestAdapter(report));
  project.provide("deployTools", await findDeployTools((line) => process.stderr.write(`tools: ${line}\n`)));
}
