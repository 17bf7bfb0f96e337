// The Chromium that measures and photographs the page.
import { type Browser, chromium } from "playwright-core";

export async function launch(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"];
  if (executablePath === undefined) throw new Error("a Chromium is needed: set CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...args] });
}
