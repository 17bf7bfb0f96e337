import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createExporter } from "../../src/load/exporter.ts";
import type { Family } from "../../src/load/family.ts";
import { loadRig, routerLoad } from "./load-rig.ts";
import { parseExposition } from "./parse-exposition.ts";

async function withExporter<T>(
  options: Parameters<typeof createExporter>[0],
  use: (url: string) => Promise<T>,
): Promise<T> {
  const exporter = createExporter(options);
  const { url, port } = await exporter.start();
  expect(url).toBe(`http://127.0.0.1:${port}/metrics`);
  try {
    return await use(url);
  } finally {
    await exporter.stop();
  }
}

test("the exporter serves the text format over a socket, computed at scrape time", async () => {
  const rig = await loadRig({ loads: [routerLoad([{ atMs: 0, value: 30 }])], replicas: 3 });
  await withExporter({ model: rig.model, clock: rig.clock }, async (url) => {
    await rig.clock.advance(1000);
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(text).toContain("# TYPE packets_total counter\n");
    expect(text).toContain("# TYPE packets_per_second gauge\n");
    expect(text.endsWith("\n")).toBe(true);
    const pod = rig.pods()[0]?.metadata.name;
    expect(parseExposition(text).get(`packets_total{namespace="default",pod="${pod}"}`)).toBe(10);
    await rig.clock.advance(500);
    expect(
      parseExposition(await (await fetch(url)).text()).get(`packets_total{namespace="default",pod="${pod}"}`),
    ).toBe(15);
    expect((await fetch(url.replace("/metrics", "/else"))).status).toBe(404);
  });
});

test("odd values and labels are written as Prometheus reads them", async () => {
  const family: Family = {
    name: "odd",
    type: "gauge",
    help: "One\nline.",
    samples: [
      { labels: { text: 'a"b\\c\nd' }, value: Number.NaN },
      { labels: {}, value: Number.POSITIVE_INFINITY },
      { labels: { big: "1" }, value: 1e21 },
    ],
  };
  const text = await withExporter(
    { model: { collect: () => [family] }, clock: manualClock(0) },
    async (url) => (await fetch(url)).text(),
  );
  expect(text).toBe(
    '# HELP odd One\\nline.\n# TYPE odd gauge\nodd{text="a\\"b\\\\c\\nd"} NaN\nodd +Inf\nodd{big="1"} 1e+21\n',
  );
});

test("samples carry the clock's instant on request", async () => {
  const model = {
    collect: (): readonly Family[] => [
      { name: "a", type: "gauge", help: "A.", samples: [{ labels: {}, value: 1 }] },
    ],
  };
  const text = await withExporter({ model, clock: manualClock(1234), withTimestamps: true }, async (url) =>
    (await fetch(url)).text(),
  );
  expect(text).toContain("\na 1 1234\n");
});

test("a model that fails returns 500 and the exporter goes on", async () => {
  let broken = true;
  const model = {
    collect: (): readonly Family[] => {
      if (broken) throw new Error("no model");
      return [];
    },
  };
  await withExporter({ model, clock: manualClock(0) }, async (url) => {
    expect((await fetch(url)).status).toBe(500);
    broken = false;
    expect((await fetch(url)).status).toBe(200);
  });
});
