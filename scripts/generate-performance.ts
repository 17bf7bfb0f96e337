// Puts the measured figures of packages/bench/results.json into docs/performance.md; with --check, says whether they differ and fails.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as Page from "../packages/bench/src/goals/page.ts";
import type * as Store from "../packages/bench/src/goals/store.ts";
import { root } from "./source/files.ts";
import { generate } from "./source/generated.ts";

const source = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../packages/bench/src/goals/${name}.ts`, import.meta.url).href)) as T;
const { fillPage } = await source<typeof Page>("page");
const { readResults } = await source<typeof Store>("store");

const path = "docs/performance.md";
const results = readResults(join(root, "packages/bench/results.json"));
generate(
  { [path]: fillPage(readFileSync(join(root, path), "utf8"), results) },
  "packages/bench/results.json",
);
