// What a change of a slider costs, from its event to the frame that shows the outcome, by the pods of the object.
import { cpu, cpuSamples, type FixtureObject, hpaOf } from "@plimsoll/console/testing";
import type { Page } from "playwright-core";

const changes = 15;

/** An object with so many pods. */
export function wideObject(count: number): FixtureObject {
  const metrics = [cpu(60)];
  return {
    hpa: hpaOf({ namespace: "default", name: nameOf(count), min: 1, max: 5_000, metrics }),
    resource: "horizontalpodautoscalers",
    mode: "shadow",
    replicas: count,
    isScaled: false,
    samplesAt: (_, list) => [cpuSamples(list, 300)],
  };
}

function nameOf(count: number): string {
  return `wide-${count}`;
}

/** Milliseconds of each change, after a first one. */
export async function changesMs(page: Page, origin: string, count: number): Promise<readonly number[]> {
  await page.goto(`${origin}/console/?view=what-if&ns=default&hpa=${nameOf(count)}`);
  await page.locator(".side").first().waitFor();
  const all: number[] = [];
  for (let change = 0; change <= changes; change++) all.push(await changeMs(page, 61 + change));
  return all.slice(1);
}

function changeMs(page: Page, value: number): Promise<number> {
  return page.evaluate(
    (next) =>
      new Promise<number>((resolve) => {
        const slider = document.querySelector<HTMLInputElement>(".metric-control input[type=range]");
        const place = document.querySelector(".what-if");
        if (slider === null || place === null) throw new Error("no what-if");
        const beganAt = performance.now();
        const seen = new MutationObserver(() => {
          seen.disconnect();
          requestAnimationFrame(() => {
            // Behind the frame that is drawn now.
            const { port1, port2 } = new MessageChannel();
            port1.addEventListener("message", () => resolve(performance.now() - beganAt));
            port1.start();
            port2.postMessage(undefined);
          });
        });
        seen.observe(place, { subtree: true, childList: true, characterData: true });
        slider.value = String(next);
        slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }),
    value,
  );
}
