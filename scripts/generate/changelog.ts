// CHANGELOG.md, from the notes in .changeset.
import { readNotes } from "../changelog/notes.ts";
import { renderChangelog } from "../changelog/render.ts";
import { root } from "../source/files.ts";

export function changelog() {
  return { "CHANGELOG.md": renderChangelog(readNotes(root)) };
}
