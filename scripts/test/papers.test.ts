import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../source/files.ts";

const pages = new Map(
  globSync(
    [
      "*.md",
      ".changeset/README.md",
      "docs/**/*.md",
      ".github/**/*.md",
      "packages/*/README.md",
      "packages/*/*/README.md",
      "{deploy,examples}/**/*.md",
    ],
    {
      cwd: root,
      exclude: (path) => path.includes("node_modules"),
    },
  ).map((path) => [path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")] as const),
);

/** Anchors as GitHub makes them of headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...page.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Links to places of the repository, as a path from its root and an anchor. */
function linksOf(
  path: string,
  page: string,
): readonly { readonly target: string; readonly anchor: string }[] {
  const prose = page.replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = "", anchor = ""] = link.split("#");
      return { target: file === "" ? path : posix.join(dirname(path), file), anchor };
    });
}

test("every link to a place of the repository leads there", () => {
  const links = [...pages].flatMap(([path, page]) => linksOf(path, page).map((link) => ({ path, ...link })));
  expect(links.length).toBeGreaterThan(200);
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(root, target)) ||
      (anchor !== "" && target.endsWith(".md") && !anchorsOf(pages.get(target) ?? "").has(anchor)),
  );
  expect(broken.map(({ path, target, anchor }) => `${path}: ${target}#${anchor}`)).toEqual([]);
});

describe("decisions", () => {
  const records = [...pages].filter(([path]) => /^docs\/adr\/\d/.test(path));

  test.each(records)("%s is short, and says what the decision costs", (path, page) => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      "Context",
      "Decision",
      "Consequences",
    ]);
    expect(pages.get("docs/adr/README.md")).toContain(`(${posix.basename(path)})`);
  });
});

test("folders and npm scripts that CONTRIBUTING and AGENTS name exist", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };
  const text = `${pages.get("CONTRIBUTING.md")}${pages.get("AGENTS.md")}`;
  const named = [...text.matchAll(/`((?:packages|scripts|docs|deploy)\/[\w./-]*[\w/])`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const called = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = ""]) => name);
  expect(called.length).toBeGreaterThan(8);
  expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test.each(globSync("packages/*/package.json", { cwd: root }).map((path) => dirname(path)))(
  "the README of %s is short, and names each folder of its source and nothing that is not there",
  (folder) => {
    const page = pages.get(`${folder.replaceAll("\\", "/")}/README.md`) ?? "";
    expect(page).not.toBe("");
    if (folder.endsWith("core")) return;
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    const [, table = ""] = /\| in `src` \|.*\n\| --- \| --- \|\n((?:\|.*\n)*)/.exec(page) ?? [];
    const named = [...table.matchAll(/^\| `([^`]+)` \|/gm)].flatMap(([, names = ""]) => names.split(", "));
    // Only files count: git keeps no empty folder.
    const files = globSync("src/**/*.{ts,tsx}", { cwd: join(root, folder) }).map((path) =>
      path.split(sep).slice(1),
    );
    const folders = [...new Set(files.filter((path) => path.length > 1).map(([name]) => `${name}/`))];
    const there = new Set([...folders, ...files.map((path) => path.join("/"))]);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
    expect(folders.filter((name) => !named.includes(name))).toEqual([]);
  },
);

test("every test that the page about security names is in its file", () => {
  const page = pages.get("docs/security.md") ?? "";
  const named = [...page.matchAll(/\[([^[\]]+)\]\(\.\.\/(packages\/[^)\s]+\.test\.ts)\)/g)];
  expect(named.length).toBeGreaterThan(80);
  const missing = named.filter(
    ([, name = "", file = ""]) => !readFileSync(join(root, file), "utf8").includes(name),
  );
  expect(missing.map(([link]) => link)).toEqual([]);
});
