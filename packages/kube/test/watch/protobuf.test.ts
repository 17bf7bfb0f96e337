// Lists and watches in protobuf, and servers that have none.
import type { ServerResponse } from "node:http";
import type { KubeObject } from "@plimsoll/kube";
import { podReader } from "@plimsoll/kube/protobuf";
import {
  varint,
  writeEnvelope,
  writeFrame,
  writeList,
  writePod,
  writeStatus,
} from "@plimsoll/kube/protobuf/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { sendJson } from "../fake/api-server.ts";
import { line, listOf, pod, type Step, watching } from "../fake/list-watch.ts";
import { setUp } from "../fake/reflect.ts";

const accept = "application/vnd.kubernetes.protobuf, application/json";
const type = { apiVersion: "v1", kind: "Pod" };
const listType = { apiVersion: "v1", kind: "PodList" };

function send(res: ServerResponse, code: number, body: Buffer): void {
  res.writeHead(code, { "content-type": "application/vnd.kubernetes.protobuf" });
  res.end(body);
}

const bytesOf = (object: KubeObject) => writePod({ ...object });

function protobufList(version: number, items: readonly KubeObject[], token = ""): Step {
  return (res) =>
    send(res, 200, writeEnvelope(listType, writeList(items.map(bytesOf), String(version), token)));
}

const frame = (event: string, object: KubeObject) => writeFrame(event, writeEnvelope(type, bytesOf(object)));

const bookmark = (version: number) =>
  frame("BOOKMARK", { metadata: { name: "", resourceVersion: String(version) } });

/** A watch in protobuf that sends these bytes, in chunks of this size, and stays open. */
function protobufWatch(bytes: Buffer, chunkBytes = bytes.length): Step {
  return (res) => {
    res.writeHead(200, { "content-type": "application/vnd.kubernetes.protobuf;stream=watch" });
    res.flushHeaders();
    for (let at = 0; at < bytes.length; at += chunkBytes) res.write(bytes.subarray(at, at + chunkBytes));
  };
}

test.each([1, 7, 4096])(
  "pages and frames that come in chunks of %i bytes keep the store up to date",
  async (chunkBytes) => {
    const { server, reflector, changes, errors } = await setUp(
      (s) => {
        s.lists = [protobufList(10, [pod("a", 1, { app: "x" })], "more"), protobufList(10, [pod("b", 2)])];
        const events = [
          frame("ADDED", pod("c", 11)),
          frame("MODIFIED", pod("a", 12, { app: "y" })),
          bookmark(13),
          frame("DELETED", pod("b", 14)),
        ];
        s.watches = [protobufWatch(Buffer.concat(events), chunkBytes)];
      },
      { protobuf: podReader },
    );
    await reflector.synced();
    await until("all events came", () => changes.length === 5);
    expect(changes).toEqual([
      "added a@1",
      "added b@2",
      "added c@11",
      "modified a@12 was 1",
      "deleted b@14 was 2",
    ]);
    expect(reflector.store.get("ns", "a")).toMatchObject({ ...type, metadata: { labels: { app: "y" } } });
    expect(server.listsSeen.map((seen) => seen.query)).toEqual([
      { limit: "500" },
      { limit: "500", continue: "more" },
    ]);
    expect(server.seen.map((seen) => seen.headers.accept)).toEqual([accept, accept, accept]);
    expect(errors).toEqual([]);
  },
);

test("a server without protobuf sends JSON, and is read as ever", async () => {
  const { reflector, changes, errors } = await setUp(
    (s) => {
      s.lists = [listOf(10, pod("a", 1))];
      s.watches = [watching(line("ADDED", pod("b", 11)))];
    },
    { protobuf: podReader },
  );
  await reflector.synced();
  await until("the event came", () => changes.length === 2);
  expect(changes).toEqual(["added a@1", "added b@11"]);
  expect(errors).toEqual([]);
});

test.each<[what: string, answer: Step]>([
  ["refuses protobuf beside JSON", (res) => sendJson(res, 406, { kind: "Status", code: 406 })],
  ["sends protobuf that cannot be read", (res) => send(res, 200, Buffer.from("k8s\0"))],
])("a server that %s gets no further request for it", async (_, answer) => {
  const jsonOnly =
    (step: Step): Step =>
    (res, seen) =>
      (seen.headers.accept === "application/json" ? step : answer)(res, seen);
  const { server, reflector, changes, errors } = await setUp(
    (s) => {
      s.lists = [jsonOnly(listOf(10, pod("a", 1)))];
      s.watches = [jsonOnly(watching(line("ADDED", pod("b", 11))))];
    },
    { protobuf: podReader },
  );
  await reflector.synced();
  await until("the event came", () => changes.length === 2);
  expect(server.seen.map((seen) => seen.headers.accept)).toEqual([
    accept,
    "application/json",
    "application/json",
  ]);
  expect(errors).toEqual([]);
});

test("an expired version is a Status in protobuf: the list is read again", async () => {
  const gone = writeEnvelope(
    { apiVersion: "v1", kind: "Status" },
    writeStatus({ code: 410, reason: "Expired", message: "too old" }),
  );
  const { server, reflector, changes, errors, wait } = await setUp(
    (s) => {
      s.lists = [protobufList(10, [pod("a", 1)]), protobufList(20, [pod("a", 15)])];
      s.watches = [protobufWatch(writeFrame("ERROR", gone)), protobufWatch(Buffer.alloc(0))];
    },
    { protobuf: podReader },
  );
  await reflector.synced();
  await wait("the second list came", () => changes.length === 2);
  expect(changes).toEqual(["added a@1", "modified a@15 was 1"]);
  expect(errors).toMatchObject([{ name: "ApiError", code: 410, reason: "Expired", message: "too old" }]);
  expect(server.listsSeen).toHaveLength(2);
});

test("a refused list is an error with what its Status says", async () => {
  const refusal = writeEnvelope(
    { apiVersion: "v1", kind: "Status" },
    writeStatus({
      code: 429,
      reason: "TooManyRequests",
      message: "slow down",
      details: { retryAfterSeconds: 4 },
    }),
  );
  const { changes, errors, wait } = await setUp(
    (s) => {
      s.lists = [(res) => send(res, 429, refusal), protobufList(10, [pod("a", 1)])];
      s.watches = [protobufWatch(Buffer.alloc(0))];
    },
    { protobuf: podReader },
  );
  expect(await wait("the list came", () => changes.length === 1)).toBeGreaterThanOrEqual(4000);
  expect(errors).toMatchObject([{ code: 429, message: "slow down", retryAfterMs: 4000 }]);
});

test.each<[string, Buffer, string]>([
  [
    "an event that is none",
    Buffer.from([0, 0, 0, 2, 0xff, 0xff]),
    "a frame of a watch: not Kubernetes' protobuf",
  ],
  [
    "an object without a name",
    frame("ADDED", { metadata: { name: "", resourceVersion: "11" } }),
    "an object without a name",
  ],
  [
    "an object of another kind",
    writeFrame("ADDED", writeEnvelope({ apiVersion: "v1", kind: "Node" }, [])),
    "not the wanted kind",
  ],
  ["a frame that is too long", Buffer.from([0x7f, 0xff, 0xff, 0xff]), "a frame of a watch is longer than"],
])("%s ends the watch with an error; the next one goes on from there", async (_what, bytes, message) => {
  const { reflector, changes, errors, wait } = await setUp(
    (s) => {
      s.lists = [protobufList(10, [pod("a", 1)])];
      s.watches = [protobufWatch(bytes), protobufWatch(frame("MODIFIED", pod("a", 12)))];
    },
    { protobuf: podReader },
  );
  await reflector.synced();
  await wait("the next watch came", () => changes.length === 2);
  expect(changes).toEqual(["added a@1", "modified a@12 was 1"]);
  expect(String(errors[0])).toContain(message);
});

test("a list that is broken, in JSON as well, is an error that names the request; the next one is read", async () => {
  const { changes, errors, wait } = await setUp(
    (s) => {
      s.lists = [
        (res) => send(res, 200, Buffer.concat([Buffer.from("k8s\0"), varint(10)])),
        (res) => void res.writeHead(200, { "content-type": "application/json" }).end("{"),
        listOf(10, pod("a", 1)),
      ];
      s.watches = [watching()];
    },
    { protobuf: podReader },
  );
  await wait("the next list came", () => changes.length === 1);
  expect(errors).toMatchObject([{ name: "ConnectionError", kind: "bad_response" }]);
  expect(String(errors[0])).toContain("GET /api/v1/pods: the response is not JSON");
});
