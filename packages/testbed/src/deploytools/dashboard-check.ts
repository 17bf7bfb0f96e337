// The check of dashboards by Grafana's own types.
import { fileURLToPath } from "node:url";
import { buildGoProgram } from "../gobuild/go-program.ts";

const module = fileURLToPath(new URL("../../grafana/", import.meta.url));

/**
 * Builds the program from the pinned module; that takes a minute the first time. It prints a line for each field of a
 * dashboard that is not one of Grafana's, and ends with 1 where there is one.
 */
export function findDashboardCheck(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return buildGoProgram(
    { name: "check-dashboards", source: ".", module, cache: "grafana", linkerFlags: [], otherwise: "" },
    report,
    environment,
  );
}
