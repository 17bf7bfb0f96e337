// Fences that the site shows live: ```yaml live is a case with its decision, ```yaml playground the playground.
import type { MarkdownEnv, MarkdownOptions } from "vitepress";

type Markdown = Parameters<NonNullable<MarkdownOptions["config"]>>[0];
type Fence = NonNullable<Markdown["renderer"]["rules"]["fence"]>;

/** In the repository they are YAML, and the text block behind a case is its decision, which the site computes. */
export function withLiveFences(md: Markdown, fence: Fence): Fence {
  return (...rendered) => {
    const [tokens, index, , env] = rendered;
    const token = tokens[index];
    const before = tokens[index - 1];
    if (token?.info === "text" && before?.type === "fence" && before.info === "yaml live") return "";
    if (token?.info !== "yaml live" && token?.info !== "yaml playground") return fence(...rendered);
    const { content, info } = token;
    token.info = "yaml";
    const source = fence(...rendered);
    token.info = info;
    if (info === "yaml playground") return `<LivePart kind="playground">${source}</LivePart>\n`;
    const next = tokens[index + 1];
    const decided = next?.info === "text" ? next.content : "";
    const { relativePath } = env as MarkdownEnv;
    const up = "..".repeat(relativePath.split("/").length - 1);
    return (
      `<details class="case"><summary>The case as YAML</summary>${source}</details>` +
      `<LivePart kind="case" source="${encodeURIComponent(content).replaceAll("'", "%27")}" ` +
      `label="${md.utils.escapeHtml(headingBefore(tokens.slice(0, index)))}" playground="${up}playground.html"><pre v-pre tabindex="0">${md.utils.escapeHtml(decided)}</pre></LivePart>\n`
    );
  };
}

/** The text of the last heading. */
function headingBefore(tokens: readonly { readonly type: string; readonly content: string }[]): string {
  const close = tokens.findLastIndex(({ type }) => type === "heading_close");
  return tokens[close - 1]?.content ?? "";
}
