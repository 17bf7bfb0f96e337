// Writes a search into a folder: the patches, the document, and the picture.
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileErrorText, replaceFile } from "@plimsoll/component-base/process";
import { documentText } from "../../output/document.ts";
import { CliError } from "../../seams.ts";
import type { TuneDocument } from "./document.ts";
import { renderFront } from "./front-svg.ts";
import { patchText } from "./patch-text.ts";

const report = "report.json";
const patchFile = /^\d+\.patch\.yaml$/;

/**
 * Makes the folder, before the work begins. One that holds a former search is used again; anything else in it is an
 * error. @throws CliError
 */
export async function openFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    const names = await readdir(folder);
    if (names.length === 0 || (await isOurs(join(folder, report)))) return;
  } catch (error) {
    throw new CliError(`cannot write to --out ${folder}: ${fileErrorText(error, folder)}`);
  }
  throw new CliError(`--out ${folder} contains other files: use a new folder`);
}

async function isOurs(file: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.includes('"schema": "plimsoll/tune/v1"');
}

/** The names of the files that were written. Patches of a former search are removed. @throws CliError */
export async function writeFolder(folder: string, document: TuneDocument): Promise<readonly string[]> {
  const { report: result } = document;
  const patches = (result?.recommendations ?? []).map((one, index) => {
    const name = `${index + 1}.patch.yaml`;
    return [name, result === undefined ? "" : patchText(one, document, result, join(folder, name))] as const;
  });
  const files = [
    ...patches,
    [report, documentText(document, "json")] as const,
    ["front.svg", renderFront(document)] as const,
  ];
  try {
    for (const name of await readdir(folder)) {
      if (patchFile.test(name)) await rm(join(folder, name));
    }
    for (const [name, text] of files) await replaceFile(join(folder, name), text, "same");
  } catch (error) {
    throw new CliError(`cannot write to --out ${folder}: ${fileErrorText(error, folder)}`);
  }
  return files.map(([name]) => name);
}
