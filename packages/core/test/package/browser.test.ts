import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { instantMs } from "../../src/index.ts";
import { bundle } from "./bundle.ts";
import { findChromium, runInPage } from "./chromium.ts";
import { type Replay, replay } from "./replay.ts";
import { repoDir } from "./run.ts";

interface TrajectoryVector {
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly hpa: Replay["hpa"];
  readonly steps: readonly {
    readonly at: string;
    readonly scale: { readonly spec: number; readonly status: number; readonly error?: string };
    readonly pods: readonly object[];
    readonly samples: Replay["readings"][number]["samples"];
  }[];
}

/** Every tenth trajectory that the real controller has answered. */
function goldenReplays(): readonly Replay[] {
  const file = join(repoDir, "packages", "conformance", "vectors", "golden", "trajectory.json");
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: readonly TrajectoryVector[] };
  return cases.filter((_, i) => i % 10 === 0).map(toReplay);
}

function toReplay({ name, hpa, steps, options = {} }: TrajectoryVector): Replay {
  const { tolerance, downscaleStabilizationSeconds: seconds, scaleToZero } = options;
  const given = {
    ...(typeof tolerance === "number" ? { tolerance } : {}),
    ...(typeof seconds === "number" ? { downscaleStabilizationMs: seconds * 1000 } : {}),
    ...(typeof scaleToZero === "boolean" ? { scaleToZero } : {}),
  };
  const readings = steps.map(({ at, scale, pods, samples }) => ({
    nowMs: instantMs(at) ?? NaN,
    scale:
      scale.error === undefined
        ? { ok: true as const, specReplicas: scale.spec, statusReplicas: scale.status, selector: "app=web" }
        : { ok: false as const, message: scale.error },
    pods: { ok: true as const, pods },
    samples,
    options: given,
  }));
  return { name, hpa, readings };
}

const pageScript = `
import { replay } from "./test/package/replay.ts";
const post = (path, body) => fetch(path, { method: "POST", body });
try {
  const replays = await (await fetch("/replays.json")).json();
  await post("/result", JSON.stringify({ agent: navigator.userAgent, results: replays.map(replay) }));
} catch (error) {
  await post("/error", String(error?.stack ?? error));
}`;

const page = `<!doctype html><meta charset="utf-8"><title>core</title><link rel="icon" href="data:,">
<script>addEventListener("error", (event) => fetch("/error", { method: "POST", body: event.message }), true);</script>
<script type="module" src="/core.js"></script>`;

const chromium = findChromium();
if (chromium === undefined)
  console.log("skipped: no Chromium; set CHROMIUM=/path or put chromium on the PATH");

test.skipIf(chromium === undefined)("decides in Chromium what it decides in Node", async () => {
  const replays = goldenReplays();
  expect(replays.length).toBeGreaterThan(5);
  const { code } = await bundle(pageScript);
  const answer = await runInPage(chromium ?? "", {
    "/": { type: "text/html", body: page },
    "/core.js": { type: "text/javascript", body: code },
    "/replays.json": { type: "application/json", body: JSON.stringify(replays) },
  });
  const { agent, results } = JSON.parse(answer) as { agent: string; results: readonly string[] };
  const decisions = replays.reduce((sum, { readings }) => sum + readings.length, 0);
  console.log(`${results.length} trajectories, ${decisions} decisions in ${agent}`);
  expect(agent).toContain("Chrome/");
  const here = (JSON.parse(JSON.stringify(replays)) as readonly Replay[]).map(replay);
  expect(results).toEqual(here);
  expect(answer).toContain("SucceededRescale");
});
