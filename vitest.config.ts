import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { packageFolders, root } from "./scripts/source/files.ts";
import { fromSource, maxWorkers, settings } from "./scripts/test-settings.ts";

/** Of a test that starts a control plane, or follows schedules of several minutes. */
const clusterLimits = { testTimeout: 300_000, hookTimeout: 300_000 };
/** Cluster tests that measure a pace or an outage. A second control plane on the same cores would change the result. */
const clusterAlone = files([
  "availability",
  "chart",
  "four-workloads",
  "large-objects",
  "schedules",
  "shadow",
]);
const isShort = process.env["SUITE"] === "short";
/** Cluster tests of one to six minutes each, which .ci/run leaves to a run by hand: other suites cover most of what they show. */
const clusterLong = isShort
  ? files([
      "autoscaler-rbac",
      "availability",
      "certificate-rbac",
      "change-shards",
      "cronhpa",
      "explain",
      "four-workloads",
      "large-objects",
      "other-writers",
      "rbac",
      "release",
      "schedules",
      "shadow",
      "tutorial",
    ])
  : [];
/** Simulations of several minutes of one core, which .ci/run leaves to a run by hand; it draws others. */
const e2eLong = isShort
  ? [
      "tools/storm/test/long/**",
      "packages/backtest/test/long/**",
      "packages/cli/test/long/**",
      "packages/metric-rules/test/long/**",
    ]
  : [];
/** Fault tests that mostly wait. */
const faultsLight = ["packages/*/faults/soak.test.ts"];
/** For tests in real time on a machine that others share: a second try, which the report names, and never a third. */
const retry = process.env["CI"] === undefined ? 0 : 1;

function files(names: readonly string[]): readonly string[] {
  return names.map((name) => `cluster/${name}.test.ts`);
}

function project(name: string, own: object) {
  return {
    ...fromSource,
    // The environment of globalSetup.
    environments: { __vitest__: { resolve: fromSource.resolve } },
    test: { ...settings, name, ...own },
  };
}

function cluster(name: string, own: object) {
  const globalSetup = ["cluster/find-binaries.ts", "test/release-folder.ts"];
  return project(name, { root: "tools/e2e", ...clusterLimits, globalSetup, retry, ...own });
}

/** The projects of each suite. `vitest run` runs "test"; a task of scripts/tasks.ts selects another with `--mode`. */
const suites: Readonly<Record<string, readonly ReturnType<typeof project>[]>> = {
  test: [...packageFolders(), "scripts"].map((folder) =>
    project(basename(folder), {
      root: join(root, folder),
      include: ["test/**/*.test.ts"],
      // They belong to the suites e2e, console-tests and docs-tests.
      exclude: ["test/stack/**", "test/long/**", "test/browser/**"],
      // No file leaves anything behind in its process: all files of a package share their modules.
      isolate: false,
    }),
  ),
  e2e: [
    project("e2e", {
      include: ["tools/e2e/test/stack/**/*.test.ts", "{packages,tools}/*/test/long/**/*.test.ts"],
      exclude: ["tools/e2e/test/stack/timed/**", ...e2eLong],
      globalSetup: ["tools/e2e/test/release-folder.ts"],
      maxConcurrency: 3,
      retry,
    }),
  ],
  timed: [project("timed", { include: ["tools/e2e/test/stack/timed/**/*.test.ts"], maxWorkers: 1 })],
  // A browser takes a whole core.
  "console-tests": [
    project("console-tests", {
      include: ["{packages,tools}/{console,e2e}/test/browser/**/*.test.ts"],
      globalSetup: ["packages/console/test/browser/build.ts"],
      maxWorkers: 2,
      // A browser draws when it has time. A page that was read too early is opened again.
      retry: 2,
    }),
  ],
  "docs-tests": [
    project("docs-tests", {
      include: ["docs/site/test/browser/**/*.test.ts"],
      globalSetup: ["docs/site/test/browser/served.ts"],
      maxWorkers: 2,
    }),
  ],
  faults: [
    project("faults", { include: faultsLight, maxWorkers: 2, retry, sequence: { groupOrder: 1 } }),
    project("faults, alone", {
      include: ["packages/*/faults/**/*.test.ts"],
      exclude: faultsLight,
      maxWorkers: 1,
      retry,
      sequence: { groupOrder: 2 },
    }),
  ],
  // Each file has its own control plane.
  cluster: [
    cluster("cluster", {
      include: ["cluster/**/*.test.ts"],
      exclude: [...clusterAlone, ...clusterLong],
      maxWorkers: Math.min(maxWorkers, 2),
      sequence: { groupOrder: 1 },
    }),
    cluster("cluster, alone", {
      include: clusterAlone,
      exclude: clusterLong,
      maxWorkers: 1,
      sequence: { groupOrder: 2 },
    }),
  ],
};

export default defineConfig(({ mode }) => {
  // Knip reads this config in the modes of Vite.
  const projects = suites[/^(?:development|production)$/.test(mode) ? "test" : mode];
  if (projects === undefined)
    throw new Error(`no suite "${mode}" for --mode; use one of ${Object.keys(suites).join(", ")}`);
  return {
    test: {
      maxWorkers,
      projects: [...projects],
      reporters: ["default", new ClosingLine()],
      passWithNoTests: false,
    },
  };
});
