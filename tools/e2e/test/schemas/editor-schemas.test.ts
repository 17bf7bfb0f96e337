// The JSON Schemas for editors take what the readers take, and refuse what these refuse for its structure.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readTuneSpace } from "@plimsoll/backtest";
import { loadFederation } from "@plimsoll/federation";
import { assertProperty } from "@plimsoll/properties";
import { loadRules, loadSources } from "@plimsoll/rules";
import { readScenario } from "@plimsoll/simulator";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { invalid } from "../../cluster/invalid-specs.ts";
import { scaleTargetRef, valid } from "../../cluster/valid-specs.ts";
import { mutated } from "./mutate.ts";
import { documentsOf, hasKey, isKind, schemaOf } from "./valid-files.ts";

const root = join(import.meta.dirname, "../../../..");

/** What a reader says of a value: nothing, or its problems, some of them about the structure. */
interface Said {
  readonly all: readonly string[];
  readonly structural: readonly string[];
}

function saidOf(all: readonly string[], structure: RegExp): Said {
  return { all, structural: all.filter((line) => structure.test(line)) };
}

const ofDocument =
  /: (?:unknown field|expected (?:a list|a mapping|text|true or false)|is missing:|has no type)/;

function readRules(value: unknown): Said {
  const read = loadRules(JSON.stringify(value), "rules.yaml");
  return saidOf(read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`), ofDocument);
}

function readSources(value: unknown): Said {
  const read = loadSources(JSON.stringify(value));
  return saidOf(read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`), ofDocument);
}

function readBackends(value: unknown): Said {
  const read = loadFederation(JSON.stringify(value));
  const lines = read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`);
  return saidOf(lines, /: (?:unknown field|expected |is missing:|is empty|there are no backends)/);
}

const text = (file: string) => readFileSync(join(root, "examples/simulate", file), "utf8");

function readSimulation(value: unknown): Said {
  const { problems } = readScenario(value, {
    text: () => ({ ok: true, text: "time,value\n0,1\n" }),
    objects: () => ({ ok: true, objects: [parse(text("hpa.yaml")) as unknown] }),
  });
  const lines = problems.map(({ path, message }) => `${path}: ${message}`);
  // A flag of the command gives a duration as well.
  const structure = /^(?!duration:).*: (?:is not a field here|is not an object|is not a list|is missing)$/;
  return saidOf(lines, structure);
}

function readSpace(value: unknown): Said {
  const read = readTuneSpace(value);
  const lines = read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`);
  return saidOf(lines, /^(?!.*is below)/);
}

const everywhere = [
  "examples/**/*.yaml",
  "docs/*.md",
  "docs/developers/*.md",
  "tools/e2e/test/stack/**/*.yaml",
  "deploy/chart/plimsoll/files/rules/*.yaml",
];

const kinds = [
  {
    schema: "rules.v1",
    read: readRules,
    isWanted: hasKey("rules", "externalRules", "resourceRules"),
    least: 6,
  },
  { schema: "backends.v1", read: readBackends, isWanted: hasKey("backends"), least: 2 },
  { schema: "sources.v1", read: readSources, isWanted: hasKey("sources"), least: 1 },
  { schema: "scenario.v1alpha1", read: readSimulation, isWanted: isKind("Scenario"), least: 1 },
  { schema: "tune-space.v1", read: readSpace, isWanted: hasKey("scaleDownWindow"), least: 1 },
];

describe.each(kinds)("$schema", ({ schema, read, isWanted, least }) => {
  const validate = schemaOf(schema);
  // Values of a chart have rules, too, and pages show parts of files.
  const files = documentsOf(everywhere, isWanted).filter(({ value }) => read(value).all.length === 0);

  test("takes the files of the examples and pages", () => {
    expect(files.length).toBeGreaterThanOrEqual(least);
    const refused = files.filter(({ value }) => !validate(value)).map(({ name }) => name);
    expect(refused).toEqual([]);
  });

  test("agrees with the reader on files that are wrong in one place", () => {
    const values = fc.constantFrom(...files.map(({ value }) => value)).chain(mutated);
    assertProperty(
      fc.property(values, (value) => {
        const said = read(value);
        const errors = validate(value) ? [] : (validate.errors ?? []);
        // Of what the reader refuses for another reason, the schema may say either.
        const wanted = said.all.length === 0 ? false : said.structural.length > 0 ? true : errors.length > 0;
        expect({ value, said, errors, isRefused: errors.length > 0 }).toMatchObject({ isRefused: wanted });
      }),
      { numRuns: 5000 },
    );
  });
});

test.each([
  ["workloadautoscaler.v1alpha1", "WorkloadAutoscaler"],
  ["cronhorizontalpodautoscaler.v1beta1", "CronHorizontalPodAutoscaler"],
  ["metricrule.v1alpha1", "MetricRule"],
])("%s takes the objects of the examples and pages, and refuses a misspelled field", (schema, kind) => {
  const validate = schemaOf(schema);
  const objects = documentsOf(everywhere, isKind(kind)).filter(({ value }) => hasKey("spec")(value));
  expect(objects.length).toBeGreaterThan(0);
  for (const { name, value } of objects) {
    expect({ name, errors: validate(value) ? [] : validate.errors }).toEqual({ name, errors: [] });
    const { spec } = value as { readonly spec: object };
    expect(validate({ ...(value as object), spec: { ...spec, maxReplica: 3 } })).toBe(false);
  }
});

// A cluster test tries these objects on a real API server.
describe("of WorkloadAutoscalers", () => {
  const validate = schemaOf("workloadautoscaler.v1alpha1");
  const objectOf = (spec: object) => ({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop" },
    spec: JSON.parse(JSON.stringify({ scaleTargetRef, maxReplicas: 10, ...spec })) as unknown,
  });

  test.each(valid)("what the API server takes is taken: %s", (_, spec) => {
    expect(validate(objectOf(spec)) ? [] : validate.errors).toEqual([]);
  });

  const structural = invalid.filter(([, , message]) =>
    /Required value| in body (?:must|should)/.test(message),
  );

  test.each(structural)("what it refuses for its structure is refused: %s", (_, spec) => {
    expect(validate(objectOf(spec))).toBe(false);
  });
});
