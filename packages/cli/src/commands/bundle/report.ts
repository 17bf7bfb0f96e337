// The output of `plimsoll bundle`: what is in the file, and what is not.
import { printable } from "@plimsoll/component-base/text";
import { type DocumentFormat, documentText } from "../../output/document.ts";
import type { BundleDocument } from "./document.ts";

export type BundleResult = Omit<BundleDocument, "schema" | "errors">;

export function filesText({ file, files, missing }: BundleResult): string {
  const most = files.reduce((max, { bytes }) => Math.max(max, bytes), 0);
  const width = String(most).length;
  const lines = [
    ...files.map(({ path, bytes }) => `${String(bytes).padStart(width)}  ${path}`),
    ...missing.map(({ what, reason }) => `missing: ${what}: ${reason}`),
    `wrote ${file}: ${files.length} files, ${missing.length} missing`,
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

/** The machine's form; its fields are only ever added to. */
export function bundleDocument(
  { file, files, missing, at, notes }: BundleResult,
  format: DocumentFormat,
): string {
  const document: BundleDocument = {
    schema: "plimsoll/bundle/v1",
    at,
    file,
    files,
    missing,
    notes,
    errors: [],
  };
  return documentText(document, format);
}
