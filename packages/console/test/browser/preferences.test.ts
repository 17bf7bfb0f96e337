// What a reader has set for all pages: less motion, and colors of their own.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { localBehavior } from "../fixtures/local.ts";
import { createWorld } from "../fixtures/world.ts";
import { useBrowser, violationsOf } from "./browser.ts";

const rig = useBrowser(() => createWorld(30));

describe("prefers-reduced-motion", () => {
  const moving = (page: Page) =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);

  test.each([
    ["reduce", false],
    ["no-preference", true],
  ] as const)("%s: something moves while it is read: %s", async (reducedMotion, isMoving) => {
    const page = await rig.open("?", { behavior: { ...localBehavior, delayMs: 20_000 } });
    await page.emulateMedia({ reducedMotion });
    await page.locator(".skeleton:not(.waiting)").waitFor();
    expect((await moving(page)) > 0).toBe(isMoving);
  });

  test("nothing on a page that was read moves, and nothing has a transition", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop", { behavior: localBehavior });
    await page.locator(".chart canvas").first().waitFor();
    expect(await moving(page)).toBe(0);
    const slow = await page.evaluate(() =>
      [...document.querySelectorAll("*")].flatMap((element) =>
        getComputedStyle(element).transitionDuration === "0s" ? [] : [element.className],
      ),
    );
    expect(slow).toEqual([]);
  });
});

describe.each(["light", "dark"] as const)("forced-colors, %s", (theme) => {
  test("what is pressed, chosen and focused is seen without shades", async () => {
    const page = await rig.open("?problems=1", { behavior: localBehavior, theme });
    await page.emulateMedia({ forcedColors: "active", colorScheme: theme });
    await page.locator("tr.row").first().waitFor();
    const outlineOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { outlineStyle, outlineWidth, borderBottomWidth } = getComputedStyle(element);
          return { outline: `${outlineStyle} ${outlineWidth}`, borderBottomWidth };
        });
    expect((await outlineOf('[aria-pressed="true"]')).outline).toBe("solid 2px");
    expect((await outlineOf('[aria-pressed="false"]')).outline).toMatch(/^none/);
    expect((await outlineOf('nav [aria-current="page"]')).borderBottomWidth).toBe("2px");
    await page.keyboard.press("/");
    expect((await outlineOf("input[type=search]")).outline).toBe("solid 3px");
    expect(await violationsOf(page)).toEqual([]);
  });

  test("the lines of a chart and of limits stand out from the page", async () => {
    const page = await rig.open("?view=object&ns=default&hpa=shop", { behavior: localBehavior, theme });
    await page.emulateMedia({ forcedColors: "active", colorScheme: theme });
    // Charts take their colors when they are drawn.
    await page.reload();
    const canvas = page.locator(".chart canvas").first();
    await canvas.waitFor();
    const seen = await canvas.evaluate((element: HTMLCanvasElement) => {
      const pixels = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
      const [, ...page] = /(\d+), (\d+), (\d+)/.exec(getComputedStyle(document.body).backgroundColor) ?? [];
      const ground = page.reduce((sum, part) => sum + Number(part), 0);
      let count = 0;
      for (let at = 0; at < pixels.length; at += 4) {
        const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.slice(at, at + 4);
        if (alpha === 255 && Math.abs(red + green + blue - ground) > 150) count++;
      }
      return count;
    });
    expect(seen).toBeGreaterThan(300);
  });
});
