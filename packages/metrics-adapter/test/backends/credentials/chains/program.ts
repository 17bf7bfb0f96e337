// Reads queries with a credential of the environment, as a process does, and prints how each ends.
import { readFile } from "node:fs/promises";
import { createPrometheusClient } from "@plimsoll/prometheus";
import type { FetchedAuth } from "@plimsoll/rules";
import { createSourceAuthorization } from "../../../../src/backends/credentials/index.ts";

const [url = "", auth = "", queries = "1"] = process.argv.slice(2);
/** Between two queries, so that a failure is over. */
const apartMs = 5_000;
let passedMs = 0;

const authorization = createSourceAuthorization(JSON.parse(auth) as FetchedAuth, {
  readText: (file) => readFile(file, "utf8"),
  clock: {
    nowMs: () => Date.now() + passedMs,
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  },
});
const client = createPrometheusClient({ url, authorization });
const said: string[] = [];
for (let count = 0; count < Number(queries); count += 1, passedMs += apartMs) {
  await client.query("up").then(
    () => said.push("ok"),
    (error: unknown) => said.push((error as Error).message),
  );
}
process.stdout.write(said.join("\n"));
await client.close();
