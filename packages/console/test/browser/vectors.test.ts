// The built page decides what the real controller decided: 1,000 of its decisions, each edited back in the address.
import { type Decision, decide, encodeRecord, headLine, metricRows } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type WhatIfVector, whatIfVectors } from "../fixtures/vectors.ts";
import { createWorld } from "../fixtures/world.ts";
import { useBrowser, watchedOf } from "./browser.ts";

const vectors = whatIfVectors().slice(-1_000);
const nameOf = (index: number) => `vector-${index}`;

const rig = useBrowser(() => {
  const texts = new Map(vectors.map(({ record }, index) => [nameOf(index), encodeRecord(record)]));
  return { ...createWorld(0), recordText: ({ name }) => texts.get(name) };
});

/** What the page says of one vector. */
interface Said {
  readonly name: string;
  /** What becomes of the replicas. */
  readonly outcome: string;
  readonly headline: string;
  /** Of the first metric. */
  readonly proposed: string;
  readonly problems: string;
}

const groupSize = 100;
const groups = Array.from({ length: vectors.length / groupSize }, (_, group) => group * groupSize);

test.each(groups)(
  "decisions of the real controller from %i on, in the page that browsers load",
  async (from) => {
    const page = await rig.open("?view=shadow");
    const group = vectors.slice(from, from + groupSize);
    const said = await page.evaluate(
      readAll,
      group.map(({ params }, index) => ({
        name: nameOf(from + index),
        search: addressOf(from + index, params),
      })),
    );
    expect(said).toHaveLength(groupSize);
    for (const [index, vector] of group.entries()) {
      const { name, input, memory, expected } = vector;
      const { decision } = decide(input, memory);
      const one = said[index];
      const { scaleTo = decision.scaleTo ?? null, proposed } = expected;
      expect([name, one]).toEqual([
        name,
        {
          name: nameOf(from + index),
          headline: headLine(decision, { atMs: input.nowMs, isRecomputed: true }),
          problems: problemsOf(vector),
          outcome: scaleTo === null ? `stays ${decision.currentReplicas}` : `goes to ${scaleTo}`,
          proposed: String(proposed ?? shownProposal(decision)),
        },
      ]);
    }
    expect(watchedOf(page)).toEqual({ foreign: [], errors: [] });
  },
);

/** The controller decides what the API server would refuse. */
function problemsOf({ input, params }: WhatIfVector): string {
  const { metrics = [] } = input.hpa.spec;
  const mayBeZero = metrics.some(({ type }) => type === "External" || type === "Object");
  return params["min"] === "0" && !mayBeZero
    ? "min: 0 needs an External or Object metric, use at least 1"
    : "";
}

function addressOf(index: number, params: Readonly<Record<string, string>>): string {
  const all = { view: "what-if", ns: "vectors", hpa: nameOf(index), ...params };
  return `?${new URLSearchParams(all).toString()}`;
}

/** In the browser: goes to each address as a reader who follows a link, and reads what is said there. */
async function readAll(all: readonly { readonly name: string; readonly search: string }[]): Promise<Said[]> {
  // Without a reader no decision has to wait until a frame is drawn.
  globalThis.requestAnimationFrame = (run) => {
    queueMicrotask(() => run(performance.now()));
    return 0;
  };
  const text = (selector: string) => document.querySelector(selector)?.textContent ?? "";
  const isShown = (name: string) =>
    text("h1 .object-name") === name && document.querySelector(".outcomes") !== null;
  const show = (name: string, search: string): Promise<void> =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isShown(name)) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true });
      history.replaceState(null, "", search);
      dispatchEvent(new PopStateEvent("popstate"));
    });
  const found: Said[] = [];
  for (const { name, search } of all) {
    await show(name, search);
    found.push({
      name,
      outcome: text(".side:last-child .side-words").split(", ").at(-1) ?? "",
      headline: text(".side:last-child .note"),
      // Behind the recorded one, where it differs from that.
      proposed: text(".outcome tbody tr:first-child td:last-child").trim().split(" ").at(-1) ?? "",
      problems: text('section[aria-label="Values"] > .failed-text'),
    });
  }
  return found;
}

function shownProposal(decision: Decision): number | string {
  const [row] = metricRows(decision);
  return row === undefined ? "" : (row.replicas ?? "—");
}
