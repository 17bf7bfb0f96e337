// What the site does with Markdown beyond VitePress: links of GitHub, diagrams as their source, tables for all readers.
import type { MarkdownEnv, MarkdownOptions } from "vitepress";
import { type LinkContext, linkOf } from "./links.ts";
import { withLiveFences } from "./live-fences.ts";

type Markdown = Parameters<NonNullable<MarkdownOptions["config"]>>[0];

/** For the option `markdown.config`: rewrites the links of each page before VitePress reads them. */
export function extendMarkdown(md: Markdown, context: Omit<LinkContext, "page">): void {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const { relativePath } = env as MarkdownEnv;
    for (const link of tokens.flatMap(({ children }) => children ?? [])) {
      if (link.type !== "link_open") continue;
      const target = link.attrGet("href");
      if (target !== null) link.attrSet("href", linkOf(target, { ...context, page: relativePath }));
    }
  });
  // A heading without words announces nothing: it is an empty cell.
  md.core.ruler.push("empty-headings", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [text, close] = tokens.slice(index + 1, index + 3);
      if (token.type !== "th_open" || text?.content !== "" || close?.type !== "th_close") continue;
      token.tag = "td";
      close.tag = "td";
    }
  });
  const { fence } = md.renderer.rules;
  if (fence === undefined) return;
  const live = withLiveFences(md, fence);
  md.renderer.rules.fence = (...rendered) => {
    const [tokens, index, , env] = rendered;
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return live(...rendered);
    const { relativePath } = env as MarkdownEnv;
    const drawn = `${context.repository}/blob/HEAD/docs/${relativePath}`;
    return (
      `<details class="diagram" v-pre><summary>Diagram, as text</summary>` +
      `<pre tabindex="0">${md.utils.escapeHtml(token.content)}</pre></details>` +
      `<p><a href="${drawn}">The repository shows it drawn.</a></p>\n`
    );
  };
}
