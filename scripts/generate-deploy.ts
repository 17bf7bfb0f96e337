// Writes what deploy/ has twice, from where it is written once; with --check, says what differs and fails.
import { readIsCheck, reportOld } from "./source/generated.ts";

const source = new URL("../packages/testbed/src/deploytools/generated-files.ts", import.meta.url);
const { generatedFiles, readText, writeText, unknownFiles } = (await import(source.href)) as {
  readonly generatedFiles: () => ReadonlyMap<string, string>;
  readonly readText: (path: string) => string | undefined;
  readonly writeText: (path: string, text: string | undefined) => void;
  readonly unknownFiles: (known: Iterable<string>) => readonly string[];
};

const files = generatedFiles();
const isCheck = readIsCheck("what deploy/ has twice");
const wanted: readonly (readonly [path: string, text: string | undefined])[] = [
  ...files,
  ...unknownFiles(files.keys()).map((path) => [path, undefined] as const),
];
for (const [path, text] of wanted) {
  if (readText(path) === text) continue;
  if (isCheck) {
    reportOld(`deploy/${path}`, "its source");
  } else {
    writeText(path, text);
  }
}
