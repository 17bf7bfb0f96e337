// Reads one query with a credential of the environment, as a process does, and prints how that ends.
import { readFile } from "node:fs/promises";
import { createPrometheusClient } from "@plimsoll/prometheus";
import type { FetchedAuth } from "@plimsoll/rules";
import { createSourceAuthorization } from "../../src/index.ts";

const [url = "", auth = ""] = process.argv.slice(2);

const authorization = createSourceAuthorization(JSON.parse(auth) as FetchedAuth, {
  readText: (file) => readFile(file, "utf8"),
  clock: {
    nowMs: () => Date.now(),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  },
});
const client = createPrometheusClient({ url, authorization });
try {
  await client.query("up");
  process.stdout.write("ok");
} catch (error) {
  process.stdout.write((error as Error).message);
} finally {
  await client.close();
}
