// A server with objects of any size, which it sends page by page and no faster than its client reads.
import type { ServerResponse } from "node:http";
import type { KubeObject } from "@plimsoll/kube";
import { writeEnvelope, writeFrame, writeList, writePod } from "@plimsoll/kube/protobuf/testing";
import { onTestFinished } from "vitest";
import { type FakeServer, type Seen, sendJson, startFakeServer, status } from "./api-server.ts";

export interface PagingServer {
  readonly url: string;
  objects: KubeObject[];
  /** It sends all in one page, whatever the limit is. */
  ignoresLimit: boolean;
  isProtobuf: boolean;
  /** How many of the next requests with a continue token are refused with 410. */
  expiring: number;
  /** "limit" or "limit@token" of each page that was requested. */
  readonly pages: string[];
  /** The lists that were begun. */
  readonly lists: number;
  readonly watches: number;
  /** Bytes of pages that were written; what clients have not read of them counts up to the buffers of the socket. */
  readonly sentBytes: number;
  /** Sends an event to the open watch. */
  event(type: string, object: KubeObject): void;
  /** Ends the open watch, with 410 if it is said so. */
  end(isExpired?: boolean): void;
}

const podType = { apiVersion: "v1", kind: "Pod" };

export async function startPagingServer(
  objects: KubeObject[],
  options: Partial<Pick<PagingServer, "ignoresLimit" | "isProtobuf" | "expiring">> = {},
): Promise<PagingServer> {
  let open: ServerResponse | undefined;
  let lists = 0;
  let watches = 0;
  let sentBytes = 0;
  const pages: string[] = [];

  async function sendPage({ query }: Seen, res: ServerResponse): Promise<void> {
    const from = Number(query["continue"] ?? 0);
    const limit = Number(query["limit"]);
    if (from === 0) lists += 1;
    pages.push(from === 0 ? String(limit) : `${limit}@${from}`);
    if (from > 0 && self.expiring > 0) {
      self.expiring -= 1;
      sendJson(res, 410, status(410, "Expired", "the continue token is too old"));
      return;
    }
    const to = self.ignoresLimit ? self.objects.length : Math.min(from + limit, self.objects.length);
    const token = to < self.objects.length ? String(to) : "";
    res.writeHead(200, {
      "content-type": self.isProtobuf ? "application/vnd.kubernetes.protobuf" : "application/json",
    });
    for (const part of partsOf(self.objects.slice(from, to), token, self.isProtobuf)) {
      if (res.destroyed) return;
      sentBytes += part.length;
      if (!res.write(part)) await drained(res);
    }
    res.end();
  }

  const server: FakeServer = await startFakeServer((seen, res) => {
    if (seen.query["watch"] !== "true") {
      void sendPage(seen, res);
      return;
    }
    watches += 1;
    open = res;
    const type = self.isProtobuf ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/json";
    res.writeHead(200, { "content-type": type });
    res.flushHeaders();
  });
  onTestFinished(() => server.close());
  const self: PagingServer = {
    url: server.url,
    objects,
    ignoresLimit: false,
    isProtobuf: false,
    expiring: 0,
    ...options,
    pages,
    get lists() {
      return lists;
    },
    get watches() {
      return watches;
    },
    get sentBytes() {
      return sentBytes;
    },
    event(type, object) {
      open?.write(
        self.isProtobuf
          ? writeFrame(type, writeEnvelope(podType, writePod({ ...object })))
          : `${JSON.stringify({ type, object })}\n`,
      );
    },
    end(isExpired = false) {
      if (isExpired)
        open?.write(`${JSON.stringify({ type: "ERROR", object: status(410, "Expired", "old") })}\n`);
      open?.end();
    },
  };
  return self;
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.on("drain", done);
    res.on("close", done);
  });
}

/** A page, an object at a time. */
function* partsOf(objects: readonly KubeObject[], token: string, isProtobuf: boolean): Generator<Buffer> {
  if (isProtobuf) {
    const items = objects.map((object) => writePod({ ...object }));
    yield writeEnvelope({ apiVersion: "v1", kind: "PodList" }, writeList(items, "10", token));
    return;
  }
  const metadata = { resourceVersion: "10", ...(token === "" ? {} : { continue: token }) };
  yield Buffer.from(`{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`);
  for (const [at, object] of objects.entries())
    yield Buffer.from(`${at === 0 ? "" : ","}${JSON.stringify(object)}`);
  yield Buffer.from("]}");
}
