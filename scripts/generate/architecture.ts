// The packages and their imports in docs/developers/architecture.md.
import { describePackages } from "../boundaries/drawing.ts";
import { rows } from "../boundaries/table.ts";
import { filled } from "./page.ts";

export function architecture() {
  return filled("docs/developers/architecture.md", { packages: describePackages(rows) });
}
