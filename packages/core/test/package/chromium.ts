import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "./run.ts";

/** A real Chromium: $CHROMIUM, or one of its names on the PATH. */
export function findChromium(): string | undefined {
  return process.env["CHROMIUM"] || findProgram(["chromium", "chromium-browser", "google-chrome"]);
}

const timeoutMs = 100_000;

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Loads the files, by path, in a page and returns the text that the page posts to /result; what it posts to
 * /error, or a browser that ends first, rejects. "/" is the page's own path.
 */
export async function runInPage(
  chromium: string,
  files: Readonly<Record<string, { readonly type: string; readonly body: string }>>,
): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), "plimsoll-chromium-"));
  const outcome = openOutcome();
  const server = createServer((request, response) => {
    const file = files[request.url ?? ""];
    if (request.method === "POST") void takeResult(request, response, outcome);
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": file.type }).end(file.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const browser = spawn(
    chromium,
    [...flags, `--user-data-dir=${profile}`, "--remote-debugging-port=0", url],
    {
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    },
  );
  let said = "";
  browser.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  const ended = new Promise<void>((resolve) => browser.once("close", () => resolve()));
  browser.once("error", outcome.reject);
  void ended.then(() => outcome.reject(new Error(`${chromium} ended before the page answered:\n${said}`)));
  const lateness = setTimeout(
    () => outcome.reject(new Error(`no response in ${timeoutMs} ms:\n${said}`)),
    timeoutMs,
  );
  try {
    return await outcome.answer;
  } finally {
    clearTimeout(lateness);
    // The whole group, so that no renderer outlives the test.
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, "SIGKILL");
    await ended;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

interface Outcome {
  readonly answer: Promise<string>;
  resolve(answer: string): void;
  reject(error: Error): void;
}

function openOutcome(): Outcome {
  let settle: Omit<Outcome, "answer"> | undefined;
  const answer = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error("a promise that did not start");
  return { answer, ...settle };
}

async function takeResult(
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
  response.end();
  if (request.url === "/result") outcome.resolve(body);
  else outcome.reject(new Error(`the page failed: ${body}`));
}
