import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { packageFolders, root } from "../source/files.ts";

const pages = new Map(
  globSync(
    [
      "*.md",
      ".changeset/README.md",
      "docs/**/*.md",
      ".github/**/*.md",
      "{packages,tools}/*/{,*/}README{,.npm}.md",
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
  const records = [...pages].filter(([path]) => /^docs\/developers\/adr\/\d/.test(path));

  test.each(records)("%s is short, and says what the decision costs", (path, page) => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      "Context",
      "Decision",
      "Consequences",
    ]);
    expect(pages.get("docs/developers/adr/README.md")).toContain(`(${posix.basename(path)})`);
  });
});

test("folders that CONTRIBUTING and AGENTS name exist", () => {
  const text = `${pages.get("CONTRIBUTING.md")}${pages.get("AGENTS.md")}`;
  const named = [...text.matchAll(/`((?:packages|tools|scripts|docs|deploy|examples)\/[\w./-]*[\w/])`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test.each(packageFolders())(
  "the README of %s is short, and names each folder of its source and nothing that is not there",
  (folder) => {
    const page = pages.get(`${folder}/README.md`) ?? "";
    expect(page).not.toBe("");
    // What users read of core is on the page of its package too.
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(folder.endsWith("core") ? 220 : 40);
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

test("every test that the security model names is in its file", () => {
  const page = pages.get("docs/developers/security-model.md") ?? "";
  const named = [...page.matchAll(/\[([^[\]]+)\]\(\.\.\/\.\.\/((?:packages|tools)\/[^)\s]+\.test\.ts)\)/g)];
  expect(named.length).toBeGreaterThan(80);
  const missing = named.filter(
    ([, name = "", file = ""]) => !readFileSync(join(root, file), "utf8").includes(name),
  );
  expect(missing.map(([link]) => link)).toEqual([]);
});

test("each picture is on a page, and says what it shows", () => {
  const shown = new Map(
    [...pages].flatMap(([path, page]) =>
      [...page.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, text = "", target = ""]) => [
        posix.join(dirname(path), target),
        text,
      ]),
    ),
  );
  const pictures = globSync("docs/images/**/*.*", { cwd: root }).map((path) => path.replaceAll("\\", "/"));
  expect(pictures.length).toBeGreaterThan(3);
  expect(pictures.filter((path) => (shown.get(path)?.length ?? 0) < 20)).toEqual([]);
});
