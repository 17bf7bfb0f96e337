// The manifests of the packages for npm.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { publicPackages, publishedManifest } from "../src/npm.ts";

const release = { version: "0.1.0", revision: "1a2b", epochSeconds: 0, isChanged: false };

test.each(publicPackages)(
  "%s needs packages before it in the list, and no older Node.js than they do",
  (name) => {
    const { dependencies = {}, engines } = manifestOf(name);
    const own = Object.keys(dependencies).flatMap((one) => /^@plimsoll\/(.*)/.exec(one)?.[1] ?? []);
    expect(publicPackages.slice(0, publicPackages.indexOf(name))).toEqual(expect.arrayContaining(own));
    const needed = [name, ...own].map((one) => manifestOf(one).engines.node);
    expect(needed.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1)).toBe(engines.node);
  },
);

test("entries for tests are not published", () => {
  expect(publicPackages.flatMap((name) => Object.keys(manifestOf(name).exports))).not.toContain("./testing");
});

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly exports: object;
}

function manifestOf(name: string): Manifest {
  const text = readFileSync(new URL(`../../../packages/${name}/package.json`, import.meta.url), "utf8");
  return JSON.parse(publishedManifest(text, release)) as Manifest;
}
