// Who may read the console, over real sockets: everything but its own page is refused.
import { once } from "node:events";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fakeCluster } from "../cluster/fake-cluster.ts";
import { putWorkload } from "../cluster/workload.ts";
import { ownPage, startConsole } from "./client.ts";

function cluster() {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 8 });
  return fake;
}

const index = "/apis/console/v1";
const session = "/apis/console/v1/session";

describe("the address", () => {
  test("is written, opened, and ends with an interrupt", async () => {
    const console = await startConsole(cluster(), ["--via=none"]);
    expect(console.output()).toMatch(/^Console: http:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]{43}\n/);
    await expect.poll(() => console.opened).toEqual([/http\S+/.exec(console.output())?.[0]]);
    console.interrupt();
    expect(await console.ended).toBe(130);
    await expect(console.send("/console/")).rejects.toThrow("ECONNREFUSED");
  });

  test("--no-open opens nothing, -n begins in a namespace, --port is taken as it is", async () => {
    const console = await startConsole(cluster(), ["--via=none", "--no-open", "-n", "default"]);
    expect(console.opened).toEqual([]);
    expect(console.output()).toContain("/console/?ns=default#code=");
    await expect(startConsole(cluster(), ["--via=none", `--port=${console.port}`])).rejects.toThrow(
      `--port ${console.port}: listen EADDRINUSE`,
    );
  });

  test.each([
    ["--port=70000", "--port 70000 is not a whole number from 0 to 65535"],
    ["--idle=soon", "--idle soon is not a duration of at least 1s"],
    ["--prometheus-url=ftp://x", "--prometheus-url"],
  ])("%s is refused", async (flag, message) => {
    await expect(startConsole(cluster(), ["--via=none", flag])).rejects.toThrow(message);
  });

  test("--idle ends it when no page was open for so long", async () => {
    const timers: (() => void)[] = [];
    const clock = {
      nowMs: () => Date.parse("2026-11-22T10:00:02Z"),
      after(delayMs: number, run: () => void) {
        if (delayMs === 60_000) timers.push(run);
        return () => void timers.splice(timers.indexOf(run), timers.includes(run) ? 1 : 0);
      },
    };
    const console = await startConsole(cluster(), ["--via=none", "--idle=1m"], { clock });
    await console.send("/console/");
    expect(timers).toHaveLength(1);
    timers[0]?.();
    expect(await console.ended).toBe(0);
    expect(console.output()).toContain("No page was open for 1m: stopping the console.\n");
  });
});

describe("the code", () => {
  test("is good once, for a cookie that scripts cannot read; the next one is another", async () => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const code = console.code();
    const headers = { ...ownPage, "plimsoll-code": code };
    const first = await console.send(session, { headers });
    expect(first.code).toBe(204);
    expect(String(first.headers["set-cookie"])).toMatch(
      new RegExp(`^plimsoll-console-${console.port}=[\\w-]{43}; Path=/apis/; HttpOnly; SameSite=Strict$`),
    );
    expect(console.code()).not.toBe(code);
    expect(console.output()).toContain("Opened. For another browser: ");
    const replayed = await console.send(session, { headers });
    expect(replayed).toMatchObject({ code: 401 });
    expect(replayed.headers["set-cookie"]).toBeUndefined();
  });

  test.each([
    ["none", {}],
    ["a wrong one", { "plimsoll-code": "a".repeat(43) }],
    ["an empty one", { "plimsoll-code": "" }],
  ])("%s: 401, as the page wants it", async (_, headers) => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const got = await console.send(session, { headers: { ...ownPage, ...headers } });
    expect([got.code, got.headers["www-authenticate"]]).toEqual([401, "Plimsoll-Code"]);
  });

  test("without the cookie no path of the data says anything", async () => {
    const fake = cluster();
    const console = await startConsole(fake, ["--via=none"]);
    const before = fake.requests.length;
    for (const path of [index, "/apis/decisions/v1/summary", "/apis/x", "/apis/decisions/v1/stream"]) {
      const got = await console.send(path, {
        headers: {
          ...ownPage,
          cookie: `plimsoll-console-${console.port}=a; plimsoll-console-${console.port}=`,
        },
      });
      expect([got.code, got.headers["www-authenticate"]]).toEqual([401, "Plimsoll-Code"]);
    }
    expect(fake.requests.length).toBe(before);
  });
});

describe("refused, with the right cookie too", () => {
  test.each([
    ["a foreign host", { host: "evil.example" }, 403],
    ["localhost", { host: "localhost" }, 403],
    ["another port", { host: "127.0.0.1:1" }, 403],
    ["a foreign origin", { origin: "http://evil.example" }, 403],
    ["no origin", { origin: "null" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port of the same site", { "sec-fetch-site": "same-site" }, 403],
  ])("%s", async (_, headers, code) => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const read = await console.signIn();
    for (const path of [index, "/console/"]) {
      const got = await read(path, { headers });
      expect(got.code).toBe(code);
      expect(got.headers["access-control-allow-origin"]).toBeUndefined();
    }
    expect((await read(index)).code).toBe(200);
  });

  test("a request without Sec-Fetch-Site", async () => {
    const console = await startConsole(cluster(), ["--via=none"]);
    expect((await console.send("/console/", { headers: {} })).code).toBe(403);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("the method %s", async (method) => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const read = await console.signIn();
    const got = await read(index, { method });
    expect([got.code, got.headers["allow"]]).toEqual([405, "GET, HEAD"]);
  });

  test.each([
    [
      "two hosts",
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil\r\nSec-Fetch-Site: none\r\n\r\n",
      /^HTTP\/1\.1 40[03] /,
    ],
    [
      "a whole address",
      "GET http://evil/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nSec-Fetch-Site: none\r\n\r\n",
      /^HTTP\/1\.1 403 /,
    ],
    [
      "an upgrade",
      "GET /apis/console/v1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-Fetch-Site: same-origin\r\n\r\n",
      /^HTTP\/1\.1 401 /,
    ],
  ])("%s", async (_, text, expected) => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const socket = connect(console.port, "127.0.0.1");
    socket.write(text.replaceAll("PORT", String(console.port)));
    const [first] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(first.toString()).toMatch(expected);
  });
});

describe("files", () => {
  test("headers of §7.4, on files, data and failures", async () => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const read = await console.signIn();
    for (const path of ["/console/", index, "/none"]) {
      expect((await read(path)).headers).toMatchObject({
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });

  test("the index is not stored, hashed files never change, and both need no cookie", async () => {
    const console = await startConsole(cluster(), ["--via=none"]);
    const page = await console.send("/console/", { headers: { "sec-fetch-site": "none" } });
    expect(page).toMatchObject({ code: 200, text: "<!doctype html><title>Plimsoll</title>" });
    expect(page.headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    });
    const script = await console.send("/console/assets/index-1a2B3c_d.js", {
      headers: { ...ownPage, "accept-encoding": "gzip" },
    });
    expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(gunzipSync(script.bytes).toString()).toContain("export const a");
    const root = await console.send("/");
    expect([root.code, root.headers.location]).toEqual([302, "/console/"]);
  });

  test.each([
    "/console/../package.json",
    "/console/%2e%2e/x",
    "/console/.vite/manifest.json",
    "/console/assets/",
    "/etc/passwd",
    "//evil/",
  ])("%s is not there", async (path) => {
    const console = await startConsole(cluster(), ["--via=none"]);
    expect((await console.send(path)).code).toBe(404);
  });
});

test("128 connections that say nothing keep no browser out", async () => {
  const console = await startConsole(cluster(), ["--via=none"]);
  const sockets = await Promise.all(
    Array.from({ length: 128 }, async () => {
      const socket = connect(console.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    }),
  );
  try {
    const send = await console.signIn();
    expect((await send(index)).code).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
