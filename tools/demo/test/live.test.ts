import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { prometheusProgram, type Stops, stopAll, until } from "@plimsoll/testbed";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createObserver } from "../src/observer.ts";
import { createScenario, swellingLoads } from "../src/scenario.ts";
import { createScreen } from "../src/screen.ts";
import { startDemo } from "../src/start-demo.ts";

test("the live workload is scaled within 3 s of the step in its load, and shown as live", async () => {
  const stops: Stops = [];
  onTestFinished(() => stopAll(stops));
  const folder = testFolder();
  const out = createWriteStream(join(folder, "out.txt")) as unknown as NodeJS.WriteStream;
  const scenario = createScenario("fast");
  const { signal } = new AbortController();
  const run = { speed: "fast", keep: false, folder, prometheus: prometheusProgram(), out, signal } as const;
  const stack = await startDemo(
    { run: { ...run, onSpawn: undefined }, scenario, screen: createScreen(out, 0) },
    stops,
  );
  const observer = createObserver({ stack, scenario, decisionsUrl: stack.decisionsUrl });
  onTestFinished(() => observer.stop());
  await until("every autoscaler to read its metrics", () => observer.everyMetricIsRead());
  stack.load.play(swellingLoads(scenario));
  observer.begin();
  const reaction = () => Promise.resolve(observer.reactionMs("gateway"));
  expect(await until("the gateway to be scaled", reaction, { everyMs: 20 })).toBeLessThan(3_000);
  await until("the peak", async () => {
    await observer.tick();
    const { peak, complaint } = observer.results().find(({ workload }) => workload === "gateway") ?? {};
    return (peak === 6 && complaint === undefined) || undefined;
  });
  const shown = observer.picture({ elapsedMs: 0, width: 80, color: false });
  expect(shown.join("\n")).toMatch(/^gateway .*query\[0\] live \d+\/500/m);
});
