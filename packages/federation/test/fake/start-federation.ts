// A federation over files of a test.
import type { Clock } from "@plimsoll/component-base";
import { Registry } from "prom-client";
import { onTestFinished } from "vitest";
import type { LookUpAll } from "../../src/backend/look-up.ts";
import type { FederatedGroup } from "../../src/config/federation-config.ts";
import { loadFederation } from "../../src/config/load-federation.ts";
import type { IsOwn } from "../../src/directory/directory.ts";
import { createFederation, type Federation, type HandedOn } from "../../src/federation.ts";
import { certificate } from "./backend-server.ts";

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Started {
  readonly federation: Federation;
  readonly registry: Registry;
  readonly log: Line[];
  /** By path. */
  readonly files: Map<string, string>;
  get(path: string, options?: GetOptions): Promise<HandedOn | string>;
}

export interface GetOptions {
  readonly isHandedOn?: boolean;
  readonly signal?: AbortSignal;
  readonly auditId?: string;
}

export interface StartOptions {
  readonly clock: Clock;
  readonly isOwn?: IsOwn;
  readonly discoveryMaxAgeMs?: number;
  readonly lookUp?: LookUpAll;
}

const both = "external.metrics.k8s.io, custom.metrics.k8s.io";

/** One backend of the file. */
export function entry(name: string, url: string, more = "", groups = both): string {
  return `- {name: ${name}, url: "${url}", caBundleFile: /ca, tokenFile: /token, groups: [${groups}]${more}}\n`;
}

/** @param backends Entries of the file. */
export async function startFederation(backends: string, options: StartOptions): Promise<Started> {
  const loaded = loadFederation(`backends:\n${backends}`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const files = new Map([
    ["/ca", certificate.caPem],
    ["/token", "secret-1\n"],
  ]);
  const log: Line[] = [];
  const add = (fields: object, message: string): void =>
    void log.push({ message, fields: fields as Line["fields"] });
  const registry = new Registry();
  const federation = createFederation({
    isOwn: () => false,
    kindOf: (resource) => ({ pods: "Pod" })[resource],
    discoveryMaxAgeMs: 3_600_000,
    random: () => 0.5,
    ...options,
    config: loaded.config,
    readText: async (path) => files.get(path) ?? Promise.reject(new Error(`${path}: there is no such file`)),
    log: { debug: add, info: add, warn: add, error: add },
    registry,
    userAgent: "plimsoll-test/1",
  });
  await federation.start();
  onTestFinished(() => federation.stop());
  return { federation, registry, log, files, get: (path, own) => get(federation, path, own) };
}

/** @param path Behind /apis/, such as external.metrics.k8s.io/v1beta1/namespaces/a/b?labelSelector=x */
function get(federation: Federation, path: string, options: GetOptions = {}): Promise<HandedOn | string> {
  const url = new URL(`https://x/${path}`);
  const [group = "", version = "", ...segments] = url.pathname.slice(1).split("/").map(decodeURIComponent);
  const request = {
    group: group as FederatedGroup,
    version,
    segments,
    query: url.searchParams,
    isHandedOn: options.isHandedOn ?? false,
    signal: options.signal ?? new AbortController().signal,
    auditId: options.auditId,
  };
  const owner = federation.ownerOf(request);
  if (owner.type !== "backend" || owner.target === undefined) return Promise.resolve(owner.type);
  return federation.handOn(owner.backend, owner.target, request);
}

/** What a test compares of a result. */
export function summary(result: HandedOn | string): string {
  if (typeof result === "string") return result;
  return result.ok ? `${result.code} ${result.body.toString()}` : `${result.kind}: ${result.message}`;
}
