// The page as npm has it: the packaged command serves it, a browser brings the code, and what fails is said in the page.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { listen, testFolder } from "@plimsoll/testbed/world";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const program = new URL("../../../../tools/release/src/images/package-cli.ts", import.meta.url).pathname;

const canary = "canary-token-7c1d";

const refused = {
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "Forbidden",
  code: 403,
  message: "the reader of this test may list nothing",
};

function responseTo(url: string): readonly [code: number, body: object] {
  if (url.startsWith("/version")) return [200, { major: "1", minor: "36", gitVersion: "v1.36.0" }];
  if (url.includes("horizontalpodautoscalers")) return [403, refused];
  const versions = [{ groupVersion: "autoscaling/v2", version: "v2" }];
  const groups = [{ name: "autoscaling", versions, preferredVersion: versions[0] }];
  return [200, { kind: "APIGroupList", apiVersion: "v1", groups }];
}

/** An API server that says its version, and that the reader may list nothing. */
async function startApiServer(): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const [code, body] = responseTo(url);
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return `http://${(await listen(server)).host}`;
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "reader" } }],
    clusters: [{ name: "test", cluster: { server } }],
    users: [{ name: "reader", user: { token: canary } }],
  });
}

test("the packaged command's page opens with its code, under its policy", async () => {
  const folder = testFolder();
  await run(process.execPath, [program, join(folder, "package")]);
  writeFileSync(join(folder, "kubeconfig"), kubeconfigOf(await startApiServer()));
  const args = ["console", "--no-open", "--via=none", "--kubeconfig", join(folder, "kubeconfig")];
  const command = spawn(join(folder, "package", "bin", "plimsoll.cjs"), args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    command.kill();
    if (command.exitCode === null) await once(command, "exit");
  });
  const lines = createInterface({ input: command.stdout });
  const { value = "" } = await lines[Symbol.asyncIterator]().next();
  const [address = "it ended"] = /http:\S+/.exec(value) ?? [];
  expect(address).toContain("/console/#code=");
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "",
    args: ["--no-sandbox"],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) errors.push(message.text());
  });
  await page.goto(address);
  await page.locator(".error-panel").waitFor();
  // The code was taken: no sign-in is asked for.
  expect(await page.locator(".error-panel").innerText()).toContain(
    "the reader of this test may list nothing",
  );
  expect(await page.locator("nav, header").first().innerText()).toContain("Fleet");
  expect(page.url()).not.toContain("code=");
  expect(await page.content()).not.toContain(canary);
  expect(errors).toEqual([]);
});
