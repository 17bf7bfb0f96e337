// The configuration of VitePress: pages of docs as they are, search in the page, nothing from elsewhere.
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DefaultTheme, UserConfig } from "vitepress";
import { anchorOf } from "./anchors.ts";
import { repositoryAddress } from "./links.ts";
import { extendMarkdown } from "./markdown.ts";
import { type Section, sections } from "./navigation.ts";
import { searchDialog } from "./search-dialog.ts";

const root = resolve(import.meta.dirname, "../../..");
const { description, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly description: string;
  readonly repository: { readonly url: string };
};
const address = repositoryAddress(repository.url);

function kindOf(path: string): "file" | "folder" | undefined {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isDirectory() ? "folder" : "file";
}

function sidebarItem({ title, pages, folded }: Section): DefaultTheme.SidebarItem {
  const items = pages.map((page) => ({ text: page.title, link: `/${servedAt(page.path)}` }));
  const below = folded === undefined ? [] : [{ ...sidebarItem(folded), collapsed: true }];
  return { text: title, items: [...items, ...below] };
}

/** A README is the index of its folder. */
function servedAt(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1").replace(/(^|\/)index\.md$/, "$1");
}

/** The mark on a hull: a circle with a line. */
const mark =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3451b2" stroke-width="3">` +
  `<circle cx="12" cy="12" r="7"/><path d="M1 12h22"/></svg>`;

function fromSource(runtime: string): string[] {
  return ["@plimsoll/source", "module", runtime, "development|production"];
}

export const siteConfig: UserConfig<DefaultTheme.Config> = {
  title: "Plimsoll",
  description,
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(mark)}` }]],
  // A page is loaded when it is opened, not when a link to it is in view.
  router: { prefetchLinks: false },
  // The folder may be served at any path, and opened as files.
  base: "./",
  srcDir: join(root, "docs"),
  srcExclude: ["site/**"],
  outDir: join(import.meta.dirname, "../dist/site"),
  cacheDir: join(import.meta.dirname, "../node_modules/.cache/vitepress"),
  rewrites: { "developers/adr/README.md": "developers/adr/index.md" },
  // What a program on the reader's machine serves.
  ignoreDeadLinks: "localhostLinks",
  // The packages from their sources; their parts are of Preact.
  vite: {
    plugins: [searchDialog],
    resolve: { conditions: fromSource("browser") },
    ssr: { resolve: { conditions: fromSource("node") } },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  },
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath !== "playground.md") return;
    frontmatter["aside"] = false;
    frontmatter["pageClass"] = "page-of-playground";
  },
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => extendMarkdown(md, { repository: address, kindOf }),
  },
  themeConfig: {
    sidebar: sections.map(sidebarItem),
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: address, ariaLabel: "Repository" }],
  },
};
