import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { hold, rig, workload } from "../harness.ts";
import { get, reviews, secure, serving } from "./https-callers.ts";

const script = `export const text = "${"plimsoll ".repeat(300)}";`;

function pageFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = testFolder();
  for (const part of ["assets", ".vite"]) mkdirSync(join(folder, part));
  const all = {
    "index.html": "<!doctype html><title>Plimsoll</title>",
    "mark.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "assets/index-1a2B3c_d.js": script,
    ".vite/manifest.json": "{}",
    "secret.txt": "not a file of a page",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text);
  return folder;
}

async function served(consoleDirectory: string | undefined) {
  return await rig({
    decide: hold,
    config: { serving: { ...serving, secure: { ...secure, consoleDirectory } } },
    before: (api) => {
      workload(api, "shop");
      reviews(
        api,
        (user, { verb, namespace }) => user === "reader" && verb === "list" && namespace === "default",
      );
    },
  });
}

interface Got {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A path as it is written, with no token. */
function fetchRaw(
  port: number,
  path: string,
  {
    method = "GET",
    headers = {},
  }: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method,
      headers,
      rejectUnauthorized: false,
      agent: false as const,
    };
    request(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ code: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

test("the page is public, under a policy that lets it load its own files only", async () => {
  const { securePort } = await served(pageFolder());
  const index = await fetchRaw(securePort, "/console/?view=object&ns=a&hpa=b");
  expect([index.code, index.bytes.toString()]).toEqual([200, "<!doctype html><title>Plimsoll</title>"]);
  expect(index.headers).toMatchObject({
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  });
  expect(index.headers).not.toHaveProperty("set-cookie");
  expect(index.headers).not.toHaveProperty("access-control-allow-origin");
  const plain = await fetchRaw(securePort, "/console/assets/index-1a2B3c_d.js");
  expect([plain.code, plain.bytes.toString(), plain.headers["cache-control"]]).toEqual([
    200,
    script,
    "public, max-age=31536000, immutable",
  ]);
  const packed = await fetchRaw(securePort, "/console/assets/index-1a2B3c_d.js", {
    headers: { "accept-encoding": "br, gzip" },
  });
  expect([packed.headers["content-encoding"], packed.bytes.length < 200]).toEqual(["gzip", true]);
  const head = await fetchRaw(securePort, "/console/mark.svg", { method: "HEAD" });
  expect([head.code, head.bytes.length, head.headers["content-type"]]).toEqual([200, 0, "image/svg+xml"]);
});

test("/console leads to the page, also below a prefix that a proxy put before it", async () => {
  const { securePort } = await served(pageFolder());
  const { code, headers } = await fetchRaw(securePort, "/console");
  expect([code, headers.location]).toEqual([308, "console/"]);
});

test.each([
  "/console/secret.txt",
  "/console/.vite/manifest.json",
  "/console/../secret.txt",
  "/console/%2e%2e/secret.txt",
  "/console/assets",
  "/console/assets/",
  "/console//index.html",
  "/console/constructor",
  "/consoles/",
  "/Console/",
])("nothing is at %s", async (path) => {
  const { securePort } = await served(pageFolder());
  const { code, bytes } = await fetchRaw(securePort, path);
  expect([code, JSON.parse(bytes.toString())]).toMatchObject([404, { kind: "Status", reason: "NotFound" }]);
});

test("only GET and HEAD are served", async () => {
  const { securePort } = await served(pageFolder());
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const { code, headers } = await fetchRaw(securePort, "/console/", { method });
    expect([method, code, headers["allow"]]).toEqual([method, 405, "GET, HEAD"]);
  }
});

test("what the page reads needs a token, and the rights of its holder", async () => {
  const { autoscaler, securePort } = await served(pageFolder());
  await autoscaler.sync();
  const summary = "/apis/decisions/v1/summary?namespace=default";
  expect((await get(securePort, summary)).code).toBe(401);
  expect((await get(securePort, summary, "mallory")).code).toBe(403);
  expect((await get(securePort, "/apis/decisions/v1/summary", "reader")).code).toBe(403);
  const { code, body } = await get(securePort, summary, "reader");
  expect([code, JSON.parse(body)]).toMatchObject([200, { items: [{ name: "shop" }] }]);
  // A cookie is none of its credentials.
  expect((await get(securePort, summary, undefined, { headers: { cookie: "session=1" } })).code).toBe(401);
  // By this the page knows that its server is the autoscaler.
  expect((await get(securePort, "/apis/console/v1", "reader")).code).toBe(404);
});

test("it is off without the flag, and never on the port without TLS", async () => {
  const off = await served(undefined);
  expect((await fetchRaw(off.securePort, "/console/")).code).toBe(404);
  const on = await served(pageFolder());
  expect((await fetch(`${on.url}/console/`)).status).toBe(404);
});

test.each<[what: string, files: Readonly<Record<string, string>>, message: string]>([
  [
    "too large",
    { "assets/big.js": "x".repeat(8 * 1024 * 1024 + 1) },
    "more than 200 files, or more than 8 MiB",
  ],
  [
    "too many files",
    Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`assets/${n}.js`, ""])),
    "more than 200 files",
  ],
])(
  "a folder that is not a page, because it is %s, ends the start and names the flag",
  async (_, files, message) => {
    const folder = pageFolder(files);
    await expect(served(folder)).rejects.toThrow(message);
    await expect(served(folder)).rejects.toThrow(
      `--console-directory ${JSON.stringify(folder)} is not the built page`,
    );
  },
);

test("a folder that is not there, or has no page, is refused", async () => {
  await expect(served("/does/not/exist")).rejects.toThrow(
    '--console-directory "/does/not/exist" is not the built page',
  );
  const empty = testFolder();
  await expect(served(empty)).rejects.toThrow("it has no index.html");
});
