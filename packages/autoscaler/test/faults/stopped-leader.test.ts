import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { violations } from "./invariants.ts";
import { replicas, setHits, twoProcesses, writesOf } from "./two-processes.ts";

// Real time: a process that is stopped by a signal loses its lease while its clock goes on.
test("a leader that is stopped in the middle of a decision carries nothing of it out when it wakes", async () => {
  const { api, first, second } = await twoProcesses();
  let answer = (): void => {};
  // The first process waits for a metric that asks for twice as many; before it comes the process stands still.
  let isAsked = false;
  api.script("GET", /\/hits$/, ({ agent }) => {
    if (agent !== "first") return undefined;
    isAsked = true;
    setHits(api, "20");
    return new Promise((resolve) => (answer = () => resolve(undefined)));
  });
  await eventually(() => expect(isAsked).toBe(true));
  first.kill("SIGSTOP");
  const before = writesOf(api, "first").length;
  answer();
  await eventually(() => expect(replicas(api)).toBe(6));
  expect(api.scaled.map(({ agent, to }) => [agent, to])).toEqual([["second", 6]]);

  first.kill("SIGCONT");
  await eventually(() => expect(first.lines().some(({ msg }) => msg === "objects lost")).toBe(true));
  const gains = () => first.lines().filter(({ msg }) => msg === "objects gained").length;
  const gained = gains();
  const asked = () =>
    api.requests.filter(({ agent, path }) => agent === "second" && path.endsWith("/hits")).length;
  const since = asked();
  // Long enough for several periods of both.
  await eventually(() => expect(asked()).toBeGreaterThan(since + 5));
  expect(writesOf(api, "first").slice(before)).toEqual([]);
  expect(violations({ calls: [], scaled: api.scaled })).toEqual([]);
  // It is of use still: the lease is its own again when the other goes.
  second.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  await eventually(() => expect(gains()).toBeGreaterThan(gained));
});
