// Builds the page once for all tests that load it.
import { build } from "vite";

/** As for users: a test runner sets another environment, which the build would keep. */
export default async function setup(): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env["NODE_ENV"] = "production";
  try {
    await build({ configFile: new URL("../../vite.config.ts", import.meta.url).pathname, logLevel: "warn" });
  } finally {
    process.env["NODE_ENV"] = NODE_ENV;
  }
}
