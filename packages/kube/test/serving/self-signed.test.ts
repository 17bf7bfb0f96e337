import { X509Certificate } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createCertDir } from "../../src/serving/cert-dir.ts";
import { loadOrGenerate, noStore } from "../../src/serving/stored-certificate.ts";

interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recordingLog(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object) => {
    lines.push({ level, fields: fields as Record<string, unknown> });
  };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const directory = fileFolder();
const day = 86_400_000;

test("a made certificate is signed by the CA beside it and good for its hosts alone", async () => {
  const log = recordingLog();
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const hosts = ["localhost", "adapter.monitoring.svc", "127.0.0.1", "::1"];
  const pair = await loadOrGenerate({ store: noStore, hosts, clock, log });
  const serving = new X509Certificate(pair.certPem);
  const ca = new X509Certificate(pair.caPem ?? "");
  expect(serving.checkIssued(ca)).toBe(true);
  expect(serving.verify(ca.publicKey)).toBe(true);
  expect([ca.ca, serving.ca]).toEqual([true, false]);
  expect(serving.checkHost("adapter.monitoring.svc")).toBe("adapter.monitoring.svc");
  expect(serving.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(serving.checkHost("other.monitoring.svc")).toBeUndefined();
  expect(serving.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(log.lines[0]?.fields["caBundle"]).toBe(Buffer.from(pair.caPem ?? "").toString("base64"));
});

test("it is kept over a restart until it is of no more use", async () => {
  const log = recordingLog();
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const store = createCertDir(join(directory, "kept"), log);
  const hosts = ["localhost"];
  const first = await loadOrGenerate({ store, hosts, clock, log });
  expect((await readdir(join(directory, "kept"))).sort()).toEqual([
    "apiserver.crt",
    "apiserver.key",
    "ca.crt",
  ]);
  expect((await loadOrGenerate({ store, hosts, clock, log })).certPem).toBe(first.certPem);
  const wider = await loadOrGenerate({ store, hosts: ["localhost", "svc.ns.svc"], clock, log });
  expect(wider.certPem).not.toBe(first.certPem);
  await clock.advance(3625 * day);
  expect((await loadOrGenerate({ store, hosts, clock, log })).certPem).not.toBe(wider.certPem);
  await writeFile(join(directory, "kept/apiserver.crt"), "garbage");
  expect((await loadOrGenerate({ store, hosts, clock, log })).certPem).toContain("BEGIN CERTIFICATE");
});

test("a directory that cannot be written leaves it in memory, with a warning", async () => {
  const log = recordingLog();
  const file = join(directory, "a-file");
  await writeFile(file, "");
  const store = createCertDir(join(file, "below"), log);
  const pair = await loadOrGenerate({ store, hosts: ["localhost"], clock: manualClock(0), log });
  expect(pair.certPem).toContain("BEGIN CERTIFICATE");
  expect(log.lines.map((line) => line.level)).toEqual(["warn", "info"]);
});
