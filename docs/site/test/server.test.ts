import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { serveSite } from "../src/server.ts";

interface Reply {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

async function served(): Promise<(path: string, method?: string) => Promise<Reply>> {
  const outer = testFolder();
  const folder = join(outer, "site");
  mkdirSync(join(folder, "adr"), { recursive: true });
  mkdirSync(join(outer, "site-other"));
  writeFileSync(join(outer, "secret.html"), "secret");
  writeFileSync(join(outer, "site-other/secret.html"), "secret");
  for (const name of ["index.html", "cli.html", "404.html", "adr/index.html", "a.webp"])
    writeFileSync(join(folder, name), name);
  const server = await serveSite(folder, 0);
  onTestFinished(() => server.close());
  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  const { port } = new URL(server.address);
  // `fetch` would resolve the dots of a path itself.
  return (path, method = "GET") =>
    new Promise((done, fail) => {
      const sent = request({ host: "127.0.0.1", port, path, method }, (response) => {
        expect(response.headers["content-security-policy"]).toContain("default-src 'self'");
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const type = response.headers["content-type"];
          done({ status: response.statusCode, type, body: Buffer.concat(chunks).toString() });
        });
      });
      sent.on("error", fail).end();
    });
}

test("pages are served with and without their ending, folders by their index", async () => {
  const get = await served();
  const html = "text/html; charset=utf-8";
  expect(await get("/")).toEqual({ status: 200, type: html, body: "index.html" });
  expect(await get("/cli.html?x#y")).toEqual({ status: 200, type: html, body: "cli.html" });
  expect(await get("/cli")).toEqual({ status: 200, type: html, body: "cli.html" });
  expect(await get("/adr/")).toEqual({ status: 200, type: html, body: "adr/index.html" });
  expect(await get("/a.webp")).toMatchObject({ status: 200, type: "image/webp" });
  expect(await get("/cli.html", "HEAD")).toEqual({ status: 200, type: html, body: "" });
});

test.each([
  "/nothing",
  "/../secret",
  "/%2e%2e/secret.html",
  "/..%2fsecret.html",
  "/..%2fsite-other%2fsecret.html",
  "/%00",
  "/%ff",
  "//",
])("%s is not found", async (path) => {
  const get = await served();
  expect(await get(path)).toEqual({ status: 404, type: "text/html; charset=utf-8", body: "404.html" });
});

test("nothing but reading is allowed, and a port in use is an error", async () => {
  const get = await served();
  expect(await get("/", "POST")).toMatchObject({ status: 405 });
  const server = await serveSite(tmpdir(), 0);
  onTestFinished(() => server.close());
  await expect(serveSite(tmpdir(), Number(new URL(server.address).port))).rejects.toThrow("EADDRINUSE");
});
