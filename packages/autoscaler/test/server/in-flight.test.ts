import { connect, type Socket } from "node:net";
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import type { Guard } from "../../src/server/guard.ts";
import { served } from "./served.ts";

const path = "/apis/decisions/v1/summary";

/** Callers by the header "x-user": who has none waits for an identity, and "nobody" of any number has no rights. */
async function crowded() {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const seen = { unknown: 0, known: 0 };
  const refused = { code: 403, reason: "Forbidden", message: "no rights" };
  const guard: Guard = {
    async identify({ headers: { "x-user": user } }) {
      if (user === undefined) {
        seen.unknown++;
        await held;
      }
      const hasRights = !String(user).startsWith("nobody");
      return {
        name: String(user),
        async check(required) {
          seen.known++;
          if (hasRights && user !== "quick") await held;
          return required.map(() => (hasRights ? undefined : refused));
        },
      };
    },
  };
  const { url } = await served({ guard, isOpen: (one) => one === "/livez" });
  const send = (text: string): Socket => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").pause();
    onTestFinished(() => void socket.destroy());
    socket.write(text);
    return socket;
  };
  return {
    seen,
    release: () => release(),
    send,
    ask: (user: string, count: number) =>
      send(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-User: ${user}\r\n\r\n`.repeat(count)),
    code: async (user: string) => (await fetch(`${url}${path}`, { headers: { "x-user": user } })).status,
    fetch: (one: string, user = "quick") => fetch(`${url}${one}`, { headers: { "x-user": user } }),
  };
}

test("above the limit in flight requests get 429 while health responds", async () => {
  const { ask, seen, fetch, code, release } = await crowded();
  const sockets = ["ann", "bob", "cid", "dee"].map((user) => ask(user, 100));
  await eventually(() => expect(seen.known).toBe(400));
  const refused = await fetch(path);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await refused.json()).toMatchObject({ kind: "Status", reason: "TooManyRequests" });
  expect((await fetch("/livez")).status).toBe(200);
  release();
  for (const socket of sockets) socket.resume();
  await eventually(async () => expect(await code("quick")).toBe(200));
});

test("one user takes no place of another", async () => {
  const { ask, seen, code } = await crowded();
  ask("ann", 400);
  await eventually(() => expect(seen.known).toBe(100));
  expect([await code("ann"), await code("quick")]).toEqual([429, 200]);
});

test("callers without an identity, and those without rights who read nothing, take no place", async () => {
  const { ask, send, seen, code } = await crowded();
  send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(500));
  await eventually(() => expect(seen.unknown).toBe(500));
  for (const number of [1, 2, 3, 4]) {
    const before = seen.known;
    // The first response never comes, and so none of the others.
    const socket = ask("ann", 1);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-User: nobody-${number}\r\n\r\n`.repeat(100));
    await eventually(() => expect(seen.known).toBe(before + 101));
  }
  expect(await code("quick")).toBe(200);
});

test("health responds while thousands of requests for it wait for their turn", async () => {
  const { ask, seen, fetch } = await crowded();
  const sockets = ["ann", "bob", "cid"].map((user) => ask(user, 1));
  await eventually(() => expect(seen.known).toBe(3));
  for (const socket of sockets) socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000));
  await eventually(() => expect(sockets.every(({ writableLength }) => writableLength === 0)).toBe(true));
  for (let round = 0; round < 10; round++) expect((await fetch("/livez")).status).toBe(200);
});
