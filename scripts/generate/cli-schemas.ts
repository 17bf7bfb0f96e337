// The JSON Schemas of what the command line prints, from the types of its documents.
import { schemasOf, type TypeInFile } from "./json-schema.ts";

/** The type of each document, and the file below `src` that declares it. */
const documents: Readonly<Record<string, TypeInFile>> = {
  "backtest.v1": ["BacktestDocument", "commands/backtest/document.ts"],
  "bundle.v1": ["BundleDocument", "commands/bundle/document.ts"],
  "doctor.v1": ["DoctorDocument", "commands/doctor/report/document.ts"],
  "explain.v1": ["ExplainDocument", "commands/explain/document.ts"],
  "federation-plan.v1": ["FederationPlanDocument", "commands/federation/document.ts"],
  "release-plan.v1": ["ReleasePlanDocument", "commands/release/document.ts"],
  "replay.v1": ["ReplayDocument", "commands/replay/document.ts"],
  "rules-query.v1": ["RulesQueryDocument", "commands/rules/query/document.ts"],
  "rules-test.v1": ["RulesTestDocument", "commands/rules/test/document.ts"],
  "shadow.v1": ["ShadowDocument", "commands/shadow/agreement.ts"],
  "simulate.v1": ["SimulateDocument", "commands/simulate/document.ts"],
  "simulate-object.v1": ["SimulateObjectDocument", "commands/simulate/object.ts"],
  "status.v1": ["StatusDocument", "commands/status/document.ts"],
  "tune.v1": ["TuneDocument", "commands/tune/document.ts"],
  "version.v1": ["VersionDocument", "commands/version/document.ts"],
  "watch.v1": ["WatchDocument", "commands/watch/line.ts"],
};

export function cliSchemas() {
  return Object.fromEntries(
    schemasOf("packages/cli", documents).map(({ name, title, schema }) => [
      `packages/cli/schema/${name}.json`,
      `${JSON.stringify({ ...schema, title }, null, 2)}\n`,
    ]),
  );
}
