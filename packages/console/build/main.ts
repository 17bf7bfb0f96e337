// Builds the page, unless the one that is there was built from the same sources. Prints one line when it builds.
import { isCurrent } from "./inputs.ts";

const home = new URL("../", import.meta.url).pathname;

if (!isCurrent(`${home}dist`)) {
  console.log("the page is built in packages/console/dist");
  // A test runner sets another environment, which a build would keep.
  process.env["NODE_ENV"] = "production";
  // Only a build needs it, and loading it takes longer than the check.
  const { build } = await import("vite");
  await build({ root: home, configFile: `${home}vite.config.ts`, logLevel: "warn" });
}
