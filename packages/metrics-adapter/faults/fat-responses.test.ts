import { readFile } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import type { FakeReply, SeenRequest } from "@plimsoll/prometheus/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { healthy, startWorld, type World } from "./world.ts";

const mib = 1024 * 1024;
const filler = Buffer.alloc(mib, "x");

/** A text, or the size of a label's value in MiB. */
type Part = string | number;

function* chunksOf(parts: readonly Part[]): Generator<string | Buffer> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else for (let megabyte = 0; megabyte < part; megabyte += 1) yield filler;
  }
}

/** A label set with four labels of 10 MB each. */
const fatLabels = (first: string): readonly Part[] => [
  `{"__name__":"${first}"`,
  ...["a", "b", "c", "d"].flatMap((name) => [`,"${name}":"`, 10, '"']),
  "}",
];

/** Nothing of it is in memory twice, in this process either. */
const fat =
  (parts: readonly Part[]): FakeReply =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    pipeline(Readable.from(chunksOf(parts), { objectMode: true, highWaterMark: 1 }), response, () => {});
  };

const fatSeries = fat([
  '{"status":"success","data":[{"__name__":"queue"},',
  ...fatLabels("fat"),
  ',{"__name__":"hostile"}]}',
]);

const fatVector = fat([
  '{"status":"success","data":{"resultType":"vector","result":[{"metric":',
  ...fatLabels("hostile"),
  ',"value":[1,"7"]},{"metric":{},"value":[1,"7"]}]}}',
]);

async function residentMiB(world: World): Promise<number> {
  const status = await readFile(`/proc/${world.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Prometheus as it is with a tenant that exposes one series with four labels of 10 MB each. */
function withFatSeries(request: SeenRequest): FakeReply {
  if (request.path === "/api/v1/query")
    return request.parameters.get("query")?.includes("hostile") === true ? fatVector : healthy(request);
  // The way of servers that have no label endpoints.
  return request.path === "/api/v1/series" ? fatSeries : { status: 404, body: "" };
}

test("with a heap of 160 MiB it lives through 20 responses of 40 MB at once, and serves the others", async ({
  skip,
}) => {
  skip(process.platform !== "linux", "what a process has in memory is read from /proc");
  const world = await startWorld({ nodeFlags: ["--max-old-space-size=160"] });
  const before = await residentMiB(world);
  world.prometheus.handle(withFatSeries);
  const hostile = Array.from({ length: 20 }, (_, n) =>
    world.get(
      `/apis/external.metrics.k8s.io/v1beta1/namespaces/tenant-${n % 5}/hostile?labelSelector=n%3Da${n}`,
    ),
  );
  const others = Array.from({ length: 20 }, async () => [
    (await world.value("queue")).code,
    (await world.get("/livez")).code,
  ]);
  for (const codes of await Promise.all(others)) expect(codes).toEqual([200, 200]);
  const codes = (await Promise.all(hostile)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([503]));
  await eventually(async () => expect((await world.value("queue")).code).toBe(200));
  // Together they are 800 MiB; what is garbage until the next collection varies by 40 MiB.
  expect((await residentMiB(world)) - before).toBeLessThan(250);
});

test("relists that get a series of 40 MB list the metrics of the others, in little memory", async ({
  skip,
}) => {
  skip(process.platform !== "linux", "what a process has in memory is read from /proc");
  const world = await startWorld({ nodeFlags: ["--max-old-space-size=160"] });
  const before = await residentMiB(world);
  world.prometheus.handle(withFatSeries);
  const relists = () => world.prometheus.requests.filter(({ path }) => path === "/api/v1/series").length;
  await eventually(() => expect(relists()).toBeGreaterThan(6));
  expect((await world.get("/readyz?verbose")).text).toContain("ok");
  const list = await world.get("/apis/external.metrics.k8s.io/v1beta1");
  expect(list.text).toContain('"queue"');
  expect(list.text).not.toContain('"fat"');
  expect(world.lines().filter((line) => line.includes("PLM2065"))).toHaveLength(1);
  expect((await residentMiB(world)) - before).toBeLessThan(150);
});
