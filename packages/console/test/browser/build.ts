// Builds the page once for all tests that load it.
import { build } from "vite";

export default async function setup(): Promise<void> {
  await build({ configFile: new URL("../../vite.config.ts", import.meta.url).pathname, logLevel: "warn" });
}
