// Every file of a release, used as its users do: from the files alone.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findDeployTools, findRegistryTools, freePort } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { local } from "../fixture.ts";
import { architecture, releaseLimitMs, sharedRelease } from "../released.ts";

const folder = fileFolder();
const { version } = JSON.parse(readFileSync(local("../../../package.json"), "utf8")) as { version: string };
const commit = execFileSync("git", ["rev-parse", "HEAD"], {
  cwd: local("../../../"),
  encoding: "utf8",
}).trim();
/** Those that the usual image of the adapter does without. */
const cloudLibraries = [
  "@aws-sdk/credential-provider-node",
  "@azure/identity",
  "aws4fetch",
  "google-auth-library",
];
/** As programs print it. */
const printedVersion = `${version}+${commit.slice(0, 8)}`;

let release: string;
beforeAll(async () => {
  release = await sharedRelease();
}, releaseLimitMs);

function run(command: string, args: readonly string[], cwd = folder): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

test("SHA256SUMS lists every other file, and is right", () => {
  const lines = run("sha256sum", ["--check", "SHA256SUMS"], release).trim().split("\n");
  const files = readdirSync(release, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(lines.filter((line) => line.endsWith(": OK"))).toHaveLength(files.length - 1);
});

test("the archive of JSON Schemas has those of files, objects and documents", () => {
  const files = run("tar", ["-tzf", join(release, "schemas", `plimsoll-schemas-${version}.tgz`)]).split("\n");
  const names = ["rules.v1", "workloadautoscaler.v1alpha1", "explain.v1", "decision-record.v1"];
  expect(files).toEqual(
    expect.arrayContaining(names.map((name) => `plimsoll-schemas-${version}/${name}.json`)),
  );
});

describe("packages for npm", () => {
  const project = join(folder, "project");

  beforeAll(() => {
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", type: "module" }));
    const files = readdirSync(join(release, "npm")).map((name) => join(release, "npm", name));
    run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...files], project);
    // Fetches the dependencies from npm's registry.
  }, 120_000);

  test("are imported with their types by an empty project", () => {
    writeFileSync(
      join(project, "main.ts"),
      `import * as backtest from "@plimsoll/backtest";
import * as history from "@plimsoll/backtest/prometheus";
import { parseQuantity } from "@plimsoll/core/quantity";
import { checkVectorFile } from "@plimsoll/conformance";
import { decide } from "@plimsoll/core";
import * as prometheus from "@plimsoll/prometheus";
import * as rules from "@plimsoll/rules";
import * as simulator from "@plimsoll/simulator";
const all: readonly object[] = [backtest, history, prometheus, rules, simulator, { checkVectorFile, decide, parseQuantity }];
console.log(all.map((one) => Object.keys(one).length > 0).join(" "));
`,
    );
    const options = { strict: true, noEmit: true, module: "nodenext", types: ["node"], skipLibCheck: false };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["main.ts"] }),
    );
    cpSync(local("../../../node_modules/@types"), join(project, "node_modules", "@types"), {
      recursive: true,
      dereference: true,
    });
    run(local("../../../node_modules/.bin/tsc"), ["-p", project]);
    // Without the condition under which this repository reads sources.
    const env = { PATH: process.env["PATH"] };
    const printed = execFileSync(process.execPath, ["main.ts"], { cwd: project, encoding: "utf8", env });
    expect(printed).toBe("true true true true true true\n");
  });

  test("have a license, and a README whose links stay inside or are absolute", () => {
    for (const name of ["core", "prometheus", "rules", "simulator", "backtest", "conformance", "cli"]) {
      const place = join(project, "node_modules", "@plimsoll", name);
      const files = new Set(readdirSync(place, { recursive: true, encoding: "utf8" }));
      expect(files).toContain("LICENSE");
      expect([...files].filter((file) => /^(dist|src)\/testing|\.tsbuildinfo$/.test(file))).toEqual([]);
      const links = [...readFileSync(join(place, "README.md"), "utf8").matchAll(/\]\(([^)\s]+)\)/g)];
      const broken = links
        .map(([, target = ""]) => target)
        .filter(
          (target) =>
            !/^(https?:|#)/.test(target) && !files.has(target.replace(/^\.\//, "").replace(/#.*/, "")),
        );
      expect({ name, broken }).toEqual({ name, broken: [] });
    }
  });

  test("the vectors pass with the runner that comes with them, in the protocol as well", () => {
    const runner = join(project, "node_modules", ".bin", "plimsoll-conformance");
    // Without the condition under which this repository reads sources.
    const env = { PATH: process.env["PATH"] };
    const printed = execFileSync(runner, ["--implementation", `"${runner}" --serve`], {
      encoding: "utf8",
      env,
    });
    expect(printed).toMatch(/\n[1-9]\d{3,} passed, 0 failed\n$/);
    const inside = readdirSync(join(project, "node_modules", "@plimsoll", "conformance", "dist"));
    expect(inside).not.toContain("oracle");
  });

  test("the command line says its version and commit", () => {
    const plimsoll = join(project, "node_modules", ".bin", "plimsoll");
    expect(run(plimsoll, ["--version"], project)).toBe(`${printedVersion}\n`);
  });
});

describe("images", () => {
  let registry: ChildProcess;
  let host: string;
  let crane: string;

  beforeAll(async () => {
    const tools = await findRegistryTools(() => undefined);
    crane = tools.crane;
    const port = await freePort();
    host = `127.0.0.1:${port}`;
    registry = spawn(tools.registry, ["-port", `${port}`], { stdio: ["ignore", "ignore", "pipe"] });
    if (registry.stderr !== null) await once(createInterface(registry.stderr), "line");
    // The first time on a machine, Go builds the registry.
  }, 300_000);

  afterAll(async () => {
    if (registry.kill()) await once(registry, "exit");
  });

  test("the adapter with credentials of clouds is pushed for both architectures, and its bill names their libraries", () => {
    const tag = `${version}-cloud`;
    const layout = join(folder, "cloud-layout");
    mkdirSync(layout);
    run("tar", ["-xf", join(release, "images", `metrics-adapter-${tag}.tar`), "-C", layout]);
    const reference = `${host}/plimsoll/metrics-adapter:${tag}`;
    run(crane, ["push", layout, reference]);
    run(crane, ["validate", "--remote", reference]);
    const { manifests } = JSON.parse(run(crane, ["manifest", reference])) as {
      readonly manifests: readonly { readonly platform: { readonly architecture: string } }[];
    };
    expect(manifests.map(({ platform }) => platform.architecture)).toEqual(["amd64", "arm64"]);
    const librariesOf = (file: string) => {
      const text = readFileSync(join(release, "images", `metrics-adapter-${file}.cdx.json`), "utf8");
      const { components } = JSON.parse(text) as {
        readonly components: readonly { readonly group?: string; readonly name: string }[];
      };
      const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
      return names.filter((name) => cloudLibraries.includes(name)).toSorted();
    };
    expect(librariesOf(version)).toEqual([]);
    expect(librariesOf(tag)).toEqual(cloudLibraries.toSorted());
  });

  describe.each(["metrics-adapter", "autoscaler"])("%s", (name) => {
    const image = (suffix: string) => join(release, "images", `${name}-${version}${suffix}.tar`);

    test.each(["amd64", "arm64"])("the archive of %s is what docker load reads", (architecture) => {
      expect(run(crane, ["validate", "--tarball", image(`-linux-${architecture}`)])).toContain("PASS");
    });

    test("is pushed and pulled for both architectures, with labels", () => {
      const layout = join(folder, `${name}-layout`);
      mkdirSync(layout);
      run("tar", ["-xf", image(""), "-C", layout]);
      const reference = `${host}/plimsoll/${name}:${version}`;
      run(crane, ["push", layout, reference]);
      run(crane, ["validate", "--remote", reference]);
      const configs = ["amd64", "arm64"].map((architecture) => {
        const text = run(crane, ["config", "--platform", `linux/${architecture}`, reference]);
        return JSON.parse(text) as {
          readonly architecture: string;
          readonly config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
        };
      });
      expect(configs.map(({ architecture }) => architecture)).toEqual(["amd64", "arm64"]);
      for (const { config } of configs) {
        expect(config.User).toBe("10001:10001");
        expect(config.Labels["org.opencontainers.image.version"]).toBe(version);
        expect(config.Labels["org.opencontainers.image.title"]).toBe(name);
      }
      // The kustomize base names what was pushed.
      run("tar", ["-xzf", join(release, "kustomize", `plimsoll-kustomize-${version}.tgz`), "-C", folder]);
      const base = join(folder, `plimsoll-kustomize-${version}`, "base", "kustomization.yaml");
      const { images } = parse(readFileSync(base, "utf8")) as {
        readonly images: readonly { readonly name: string; readonly digest: string }[];
      };
      const digest = run(crane, ["digest", reference]).trim();
      expect(images.find((one) => one.name === name)?.digest).toBe(digest);
    });
  });

  test("the chart is installed from the file and from a registry", async () => {
    const { helm } = await findDeployTools(() => undefined);
    const file = join(release, "chart", `plimsoll-${version}.tgz`);
    run(helm, ["push", file, `oci://${host}/charts`, "--plain-http"]);
    const render = (...source: readonly string[]) =>
      run(helm, ["template", "plimsoll", ...source, "--namespace", "plimsoll"]);
    const fromFile = render(file);
    expect(fromFile).toContain(`ghcr.io/plimsoll/autoscaler:${version}`);
    expect(render(`oci://${host}/charts/plimsoll`, "--version", version, "--plain-http")).toBe(fromFile);
  });
});

test("the command line runs through krew's link, with the Node that comes with it", () => {
  const manifest = parse(readFileSync(join(release, "cli", "plimsoll.yaml"), "utf8")) as {
    readonly spec: {
      readonly platforms: readonly {
        readonly selector: { readonly matchLabels: { readonly os: string; readonly arch: string } };
        readonly uri: string;
        readonly sha256: string;
        readonly bin: string;
      }[];
    };
  };
  const mine = manifest.spec.platforms.find(
    ({ selector }) => selector.matchLabels.os === "linux" && selector.matchLabels.arch === architecture,
  );
  const file = join(release, "cli", (mine?.uri ?? "").split("/").at(-1) ?? "");
  expect(run("sha256sum", [file]).split(" ")[0]).toBe(mine?.sha256);
  const store = join(folder, "store");
  mkdirSync(store);
  onTestFinished(() => rmSync(store, { recursive: true }));
  run("tar", ["-xzf", file, "-C", store]);
  const link = join(folder, "kubectl-plimsoll");
  symlinkSync(join("store", mine?.bin ?? ""), link);
  const printed = execFileSync(link, ["--version"], { encoding: "utf8", env: { PATH: "/usr/bin:/bin" } });
  expect(printed).toBe(`${printedVersion}\n`);
});
