import type { ServerResponse } from "node:http";
import type { KubeObject } from "@plimsoll/kube";
import { onTestFinished } from "vitest";
import { type FakeServer, type Handler, type Seen, sendJson, startFakeServer } from "./api-server.ts";

/** What a server does with one request. */
export type Step = (res: ServerResponse, seen: Seen) => void;

export interface ListWatchServer extends FakeServer {
  /** Steps for the next lists and watches; the last one serves all that follow. */
  lists: Step[];
  watches: Step[];
  /** The same for looks at the version alone, before a watch is resumed; the server has been there all the time by default. */
  looks: Step[];
  /** Answers to the watches that are open, oldest first. */
  readonly open: readonly ServerResponse[];
  readonly listsSeen: readonly Seen[];
  readonly looksSeen: readonly Seen[];
  readonly watchesSeen: readonly Seen[];
}

export async function startListWatchServer(): Promise<ListWatchServer> {
  const open: ServerResponse[] = [];
  const lists: Step[] = [];
  const watches: Step[] = [];
  const looks: Step[] = [listOf(Number.MAX_SAFE_INTEGER)];
  const handle: Handler = (seen, res) => {
    if (!isOurs(seen)) {
      sendJson(res, 404, {});
      return;
    }
    const isWatch = seen.query["watch"] === "true";
    const steps = isWatch ? self.watches : isLook(seen) ? self.looks : self.lists;
    const step = steps.length > 1 ? steps.shift() : steps[0];
    if (isWatch) {
      open.push(res);
      res.on("close", () => open.splice(open.indexOf(res), 1));
    }
    if (step === undefined) throw new Error(`no step for ${seen.path}`);
    step(res, seen);
  };
  const server = await startFakeServer(handle);
  onTestFinished(() => server.close());
  const self: ListWatchServer = {
    url: server.url,
    get seen() {
      return server.seen.filter(isOurs);
    },
    get connections() {
      return server.connections;
    },
    clientCertificates: server.clientCertificates,
    cut: server.cut,
    close: server.close,
    lists,
    watches,
    looks,
    open,
    get listsSeen() {
      return self.seen.filter((seen) => seen.query["watch"] !== "true" && !isLook(seen));
    },
    get looksSeen() {
      return self.seen.filter(isLook);
    },
    get watchesSeen() {
      return self.seen.filter((seen) => seen.query["watch"] === "true");
    },
  };
  return self;
}

/** A client of another test may try a port that was given to this server since. */
function isOurs({ path }: Seen): boolean {
  return path === "/api/v1/pods";
}

function isLook({ query }: Seen): boolean {
  return query["limit"] === "1";
}

export function pod(
  name: string,
  version: number,
  labels: Record<string, string> = {},
  uid = `uid-${name}`,
): KubeObject {
  return { metadata: { name, namespace: "ns", uid, resourceVersion: String(version), labels } };
}

export function listOf(version: number, ...items: readonly KubeObject[]): Step {
  return (res) => sendJson(res, 200, listBody(version, items));
}

export function listBody(version: number, items: readonly KubeObject[], token?: string): unknown {
  const metadata = { resourceVersion: String(version), ...(token === undefined ? {} : { continue: token }) };
  return { kind: "PodList", apiVersion: "v1", metadata, items };
}

export function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmark(version: number): string {
  return line("BOOKMARK", { kind: "Pod", metadata: { resourceVersion: String(version) } });
}

/** A watch that says this and stays open. */
export function watching(...lines: readonly string[]): Step {
  return (res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.flushHeaders();
    for (const text of lines) res.write(text);
  };
}

/** A watch that says this and ends in good order. */
export function ending(...lines: readonly string[]): Step {
  return (res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.end(lines.join(""));
  };
}
