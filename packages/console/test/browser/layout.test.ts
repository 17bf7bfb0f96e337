// What is read pushes nothing aside, and a page that is enlarged loses nothing.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { localBehavior } from "../fixtures/local.ts";
import { createWorld } from "../fixtures/world.ts";
import { useBrowser } from "./browser.ts";

const rig = useBrowser(() => createWorld(30));

const pages = [
  ["fleet", "?", "tr.row"],
  ["object", "?view=object&ns=default&hpa=shop", ".chart canvas"],
  ["trace", "?view=trace&ns=default&hpa=shop", ".trace .step"],
  ["what-if", "?view=what-if&ns=default&hpa=shop", ".side"],
  ["shadow", "?view=shadow", ".figures"],
  ["findings", "?view=findings", ".finding"],
] as const;

/** Behind this a skeleton is shown. */
const delayMs = 1_500;
/** Pages that people take for steady have up to 0.1; here it is a line that moves by its own height. */
const maxShift = 0.01;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

/** What moved that was drawn before, as Chromium counts it (cumulative layout shift), and what it was. */
function shiftsOf(page: Page): Promise<readonly Shift[]> {
  return page.evaluate(
    () =>
      new Promise<Shift[]>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          const entries = list.getEntries() as unknown as readonly {
            readonly value: number;
            readonly sources: readonly { readonly node: Element | null }[];
          }[];
          resolve(
            entries.map(({ value, sources }) => ({
              value,
              moved: sources.map(({ node }) => `${node?.nodeName} ${node?.className}`),
            })),
          );
        });
        observer.observe({ type: "layout-shift", buffered: true });
        // There is no entry where nothing moved.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve([])));
      }),
  );
}

describe.each([1280, 390])("at %i px", (width) => {
  test.each(pages)("%s: what is loaded takes the place of the skeleton", async (_, search, shown) => {
    const page = await rig.open(search, { behavior: { ...localBehavior, delayMs }, width });
    await page.locator(".skeleton:not(.waiting)").first().waitFor();
    await page.locator(shown).first().waitFor();
    await page.locator("footer.source", { hasText: "port-forward" }).waitFor();
    await page.waitForFunction(() => document.querySelector(".skeleton") === null);
    const shifts = await shiftsOf(page);
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    expect([sum < maxShift, sum < maxShift ? [] : shifts]).toEqual([true, []]);
  });
});

/** 1,280 × 900 at 200 %, and at 400 %, in pixels of the style sheet. */
const enlarged = [
  [200, 640, 450],
  [400, 320, 225],
] as const;

describe.each(enlarged)("at %i %%", (_, width, height) => {
  test.each(pages)(
    "%s has no scrolling aside, and what has the focus is in view",
    async (_name, search, shown) => {
      const page = await rig.open(search, { behavior: localBehavior, width, height });
      await page.locator(shown).first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const hidden: string[] = [];
      for (let press = 0; press < 40; press++) {
        await page.keyboard.press("Tab");
        const problem = await page.evaluate(focusProblem);
        if (problem !== "") hidden.push(problem);
      }
      expect(hidden).toEqual([]);
    },
  );
});

/** Empty: nothing, or something that the frame of the page does not cover, has the focus. */
function focusProblem(): string {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return "";
  const { top, bottom, left, right } = focused.getBoundingClientRect();
  const header = document.querySelector("header.top");
  // The first of all lies over the frame.
  const covered =
    header?.contains(focused) || focused.matches(".skip") ? 0 : (header?.getBoundingClientRect().bottom ?? 0);
  const isSeen = bottom > covered && top < innerHeight && right > 0 && left < innerWidth;
  return isSeen ? "" : `${focused.nodeName} ${focused.textContent?.slice(0, 40)} ${top} to ${bottom}`;
}
