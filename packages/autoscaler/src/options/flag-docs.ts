import { type Flag, flagTable } from "./flags.ts";

/** The flags as Markdown: those with an effect, then those that are only accepted. */
export function flagDocs(): string {
  const row = ({ name, value, default: fallback, origin }: Flag, text: string) =>
    `| \`--${name}\` | ${cell(value)} | ${fallback === undefined ? "" : `\`${fallback}\``} | ${cell(text)} | ${origin === "upstream" ? "kube-controller-manager" : ""} |`;
  const head = ["| flag | value | default | meaning | also of |", "| --- | --- | --- | --- | --- |"];
  const current = flagTable.filter(({ retired }) => retired === undefined);
  const retired = flagTable.filter((flag) => flag.retired !== undefined);
  return [
    ...head,
    ...current.map((flag) => row(flag, flag.help)),
    "",
    "Accepted with a warning, without effect or under a newer name:",
    "",
    ...head,
    ...retired.map((flag) => row(flag, flag.retired ?? "")),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
