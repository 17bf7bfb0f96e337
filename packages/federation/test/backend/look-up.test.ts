import type { LookupAddress } from "node:dns";
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createLookUp } from "../../src/backend/look-up.ts";

const address: LookupAddress = { address: "10.0.0.1", family: 4 };

function start(all: (host: string) => Promise<readonly LookupAddress[]>) {
  const clock = manualClock(1_000_000);
  const lookUp = createLookUp(clock, all);
  const find = (host: string): Promise<string> =>
    new Promise((resolve) => {
      lookUp(host, { all: false }, (error, found) =>
        resolve(error?.message ?? (typeof found === "string" ? found : "a list")),
      );
    });
  return { clock, find };
}

test("an address that is known is used while the look-up of another name does not end", async () => {
  const { clock, find } = start((host) =>
    host === "lost.example" ? new Promise(() => {}) : Promise.resolve([address]),
  );
  expect(await find("good.example")).toBe("10.0.0.1");
  await clock.advance(30_000);
  void find("lost.example");
  const found = find("good.example");
  await clock.advance(1_000);
  expect(await found).toBe("10.0.0.1");
});

test("a new address is used as soon as it is known, the old one while the DNS fails", async () => {
  const answers = [Promise.resolve([address]), Promise.resolve([{ ...address, address: "10.0.0.2" }])];
  const { clock, find } = start(() => answers.shift() ?? Promise.reject(new Error("EAI_AGAIN")));
  expect(await find("a.example")).toBe("10.0.0.1");
  await clock.advance(29_999);
  expect(await find("a.example")).toBe("10.0.0.1");
  await clock.advance(1);
  expect(await find("a.example")).toBe("10.0.0.2");
  await clock.advance(30_000);
  expect(await find("a.example")).toBe("10.0.0.2");
  expect(await find("b.example")).toBe("EAI_AGAIN");
});
