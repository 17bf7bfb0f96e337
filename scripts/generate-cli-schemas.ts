// Writes the JSON Schemas of what the command line prints from the types of its documents; with --check it reports old ones.
import { join, resolve } from "node:path";
import { createGenerator } from "ts-json-schema-generator";
import { generate } from "./source/generated.ts";

const cli = resolve(import.meta.dirname, "..", "packages", "cli");

/** The type of each document, and where it is declared. */
const documents = {
  "backtest.v1": { type: "BacktestDocument", path: "backtest/document.ts" },
  "bundle.v1": { type: "BundleDocument", path: "bundle/document.ts" },
  "doctor.v1": { type: "DoctorDocument", path: "doctor/report/document.ts" },
  "explain.v1": { type: "ExplainDocument", path: "explain/document.ts" },
  "federation-plan.v1": { type: "FederationPlanDocument", path: "federation/document.ts" },
  "release-plan.v1": { type: "ReleasePlanDocument", path: "release/document.ts" },
  "replay.v1": { type: "ReplayDocument", path: "replay/document.ts" },
  "rules-query.v1": { type: "RulesQueryDocument", path: "rules/query/document.ts" },
  "rules-test.v1": { type: "RulesTestDocument", path: "rules/test/document.ts" },
  "shadow.v1": { type: "ShadowDocument", path: "shadow/agreement.ts" },
  "simulate.v1": { type: "SimulateDocument", path: "simulate/document.ts" },
  "simulate-object.v1": { type: "SimulateObjectDocument", path: "simulate/object-document.ts" },
  "status.v1": { type: "StatusDocument", path: "status/document.ts" },
  "tune.v1": { type: "TuneDocument", path: "tune/document.ts" },
  "version.v1": { type: "VersionDocument", path: "version/document.ts" },
  "watch.v1": { type: "WatchDocument", path: "watch/line.ts" },
} as const;

const files = Object.entries(documents).map(([name, { type, path }]) => {
  const schema = createGenerator({
    path: join(cli, "src", path),
    tsconfig: join(cli, "tsconfig.json"),
    type,
    // Fields are added within one version.
    additionalProperties: true,
    functions: "hide",
    // The sources are checked elsewhere, by the compiler that they are written for.
    skipTypeCheck: true,
  }).createSchema(type);
  return [`packages/cli/schema/${name}.json`, `${JSON.stringify({ ...schema, title: type }, null, 2)}\n`];
});

generate(Object.fromEntries(files) as Record<string, string>, "the types of the documents");
