// What the tests of the doctor have in common.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { doctorServer } from "./api-server.ts";
import { putExample } from "./example.ts";

export function example() {
  const server = doctorServer();
  putExample(server);
  server.deny(/verticalpodautoscalers/);
  return server;
}

export const root = join(import.meta.dirname, "../../../..");

export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** Files of objects; others are files of our programs, of Helm, and parts of objects. */
export const manifests = globSync("examples/**/*.yaml", { cwd: root }).filter(
  // KEDA makes it, of the ScaledObject beside it, and owns it then.
  (path) => /^kind: /m.test(textOf(path)) && !path.endsWith("keda-hpa.yaml"),
);
