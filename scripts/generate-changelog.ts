// Writes CHANGELOG.md from the notes in .changeset; with --check, says whether it differs and fails.
import { readNotes } from "./changelog/notes.ts";
import { noteNames, renderChangelog } from "./changelog/render.ts";
import { root } from "./source/files.ts";
import { generate } from "./source/generated.ts";

try {
  generate(
    { "CHANGELOG.md": renderChangelog(readNotes(root, noteNames)) },
    "the folder .changeset with its notes",
  );
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
