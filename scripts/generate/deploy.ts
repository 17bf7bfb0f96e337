// The files of deploy that are copies or excerpts of others.
import { generatedFiles, unknownFiles } from "../../tools/testbed/src/deploytools/generated-files.ts";

export function deploy() {
  const files = generatedFiles();
  const unknown = unknownFiles(files.keys()).map((path) => [path, undefined] as const);
  return Object.fromEntries([...files, ...unknown].map(([path, text]) => [`deploy/${path}`, text]));
}
