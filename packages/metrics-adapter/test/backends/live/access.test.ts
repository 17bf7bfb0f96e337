// Pods with self-signed certificates that require a token.
import { createSecureServer } from "node:http2";
import { systemClock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { createAuthority, issue } from "@plimsoll/kube/testing";
import { createPageFetcher } from "@plimsoll/live";
import { listen } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createCa } from "../../../src/backends/live/live.ts";
import { recordingLog } from "../../http/fakes.ts";
import { required } from "../prometheus/harness.ts";

const pod = { key: "a", pod: "web-1", isReady: true, container: "main", path: "/" };
type Access = { readonly authorization?: string; readonly insecureSkipVerify: boolean };

interface Tls {
  readonly ca?: () => Promise<string>;
  readonly insecureSkipVerify?: boolean;
}

async function start({ ca, insecureSkipVerify = false }: Tls = {}) {
  const authority = await createAuthority("unknown-ca");
  const { cert, key } = await issue(authority, "CN=pod", { usage: "server", hosts: ["127.0.0.1"] });
  const tokens: unknown[] = [];
  const { port, close } = await listen(
    // It prefers HTTP/2, as programs in Go do.
    createSecureServer({ cert, key, allowHTTP1: true }, ({ headers, httpVersion }, response) => {
      tokens.push(`${httpVersion} ${headers.authorization}`);
      response.setHeader("connection", "close");
      response.end("a 1\n");
    }),
  );
  const tls = { ca, insecureSkipVerify };
  const fetcher = createPageFetcher({ clock: systemClock, maxBytes: 100, userAgent: "test", tls });
  onTestFinished(async () => {
    await fetcher.close();
    await close();
  });
  const read = (access?: Access) =>
    fetcher.fetch({ ...pod, origin: `https://127.0.0.1:${port}`, access }, 5000, {
      start: () => {},
      push: () => true,
      connected: () => tokens.push("connected"),
    });
  return { authority, tokens, read };
}

test("a certificate is not verified, and a token is sent, only where the rule says so", async () => {
  const { tokens, read } = await start();
  await expect(read()).rejects.toThrow("certificate");
  await read({ authorization: "Bearer t", insecureSkipVerify: true });
  await read({ insecureSkipVerify: true });
  await expect(read()).rejects.toThrow("certificate");
  // What takes most of the time is counted.
  const connected = "connected";
  expect(tokens).toEqual([connected, "1.1 Bearer t", connected, "1.1 undefined", connected, connected]);
});

test("a rule that wants certificates verified wins over --live-insecure-skip-verify", async () => {
  const { tokens, read } = await start({ insecureSkipVerify: true });
  await read();
  const verified = read({ authorization: "Bearer t", insecureSkipVerify: false });
  await expect(verified).rejects.toThrow("certificate");
  expect(tokens).toEqual(["1.1 undefined", "connected", "connected"]);
});

test("--live-ca-file is read again, and the last text is used while it cannot be read", async () => {
  const clock = manualClock(0);
  const log = recordingLog();
  const files = new Map([["ca.pem", (await createAuthority("former-ca")).pem]]);
  const readText = async (file: string) => required(files.get(file));
  const settings = { options: { caFile: "ca.pem" }, ca: await readText("ca.pem"), readText };
  const { authority, read } = await start({ ca: required(createCa(settings, { clock, log })) });
  await expect(read()).rejects.toThrow("certificate");
  files.set("ca.pem", authority.pem);
  await expect(read()).rejects.toThrow("certificate");
  await clock.advance(10_000);
  await read();
  files.clear();
  await clock.advance(10_000);
  await read();
  files.set("ca.pem", "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n");
  await clock.advance(10_000);
  await read();
  const line = { level: "warn", message: "could not reload files; keeping the old ones" };
  expect(log.lines).toMatchObject([line, line]);
});
