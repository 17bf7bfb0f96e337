// Why not so many replicas, for a terminal.
import { explainWhyNot, type WhyNot } from "@plimsoll/core";
import type { Style } from "../output/style.ts";
import { wrap } from "../output/width.ts";

/** Of the ways, behind their names. */
const indent = " ".repeat(19);

/** All of it, with the line end. */
export function whyNotText(answer: WhyNot, style: Style, nowMs: number): string {
  const lines = explainWhyNot(answer, { atMs: nowMs })
    .split("\n")
    .flatMap((line) => wrap(style.text(line), style.columns, line.startsWith(" ") ? indent : "  "));
  return `${lines.join("\n")}\n`;
}
