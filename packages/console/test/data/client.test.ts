import { paths } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { createClient } from "../../src/data/client.ts";
import { readServer } from "../../src/data/server.ts";

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function clientOf(respond: (url: string) => Response | Error) {
  const sent: Sent[] = [];
  const fetch = ((url: string, init: { readonly headers: Readonly<Record<string, string>> }) => {
    sent.push({ url, headers: init.headers });
    const response = respond(url);
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
  }) as unknown as typeof globalThis.fetch;
  return { sent, client: createClient(fetch, "/prefix/") };
}

const status = (code: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ kind: "Status", reason: "Some", message }, { status: code, headers });

test("addresses are relative, and names are escaped", async () => {
  const key = { resource: "horizontalpodautoscalers", namespace: "a/b", name: "c?d" } as const;
  expect(paths.record(key, { before: "2026-11-22T10:00:00Z" })).toBe(
    "apis/decisions/v1/namespaces/a%2Fb/horizontalpodautoscalers/c%3Fd/record?before=2026-11-22T10%3A00%3A00Z",
  );
  expect(paths.summary({ namespace: undefined, problem: false, limit: 5 })).toBe(
    "apis/decisions/v1/summary?limit=5",
  );
  const { client, sent } = clientOf(() => Response.json({ items: [] }));
  expect(await client.get(paths.shadow)).toEqual({ ok: true, value: { items: [] } });
  expect(sent[0]?.url).toBe("/prefix/apis/shadow/v1");
});

test("a token goes with every later request, and nowhere before", async () => {
  const { client, sent } = clientOf(() => Response.json({}));
  await client.get("a");
  client.useToken("secret");
  await client.get("b");
  expect(sent.map(({ headers }) => headers["Authorization"])).toEqual([undefined, "Bearer secret"]);
});

test.each([
  [status(403, "user may not list"), { status: 403, reason: "Some", message: "user may not list" }],
  [status(401, "who"), { status: 401, reason: "Some", message: "who", needs: "token" }],
  [
    status(401, "used", { "www-authenticate": "Plimsoll-Code" }),
    { status: 401, reason: "Some", message: "used", needs: "code" },
  ],
  [
    new Response("<html>", { status: 502, statusText: "Bad" }),
    { status: 502, reason: "Bad", message: "HTTP 502 Bad" },
  ],
  [new Error("refused"), { status: 0, reason: "NoResponse", message: "the server did not respond: refused" }],
])("a failure is a value, in the server's words (%#)", async (response, failure) => {
  const { client } = clientOf(() => response);
  expect(await client.get("a")).toEqual({ ok: false, failure });
});

test("a body that ends too soon is not a document", async () => {
  const { client } = clientOf(() => new Response('{"items":['));
  expect(await client.get("a")).toMatchObject({ ok: false, failure: { status: 0 } });
});

test("a server without an index is the autoscaler; one that fails is unknown", async () => {
  const missing = await readServer(clientOf(() => status(404, "nothing")).client);
  expect(missing).toMatchObject({ ok: true, value: { isLocal: false, parts: { stream: { ok: true } } } });
  expect(await readServer(clientOf(() => status(503, "down")).client)).toMatchObject({ ok: false });
});
