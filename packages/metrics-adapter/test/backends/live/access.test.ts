// Pods that are served by https with a certificate of their own, and that ask for a token.
import { createServer } from "node:https";
import { systemClock } from "@plimsoll/component-base";
import { createAuthority, issue } from "@plimsoll/kube/testing";
import { createPageFetcher } from "@plimsoll/live";
import { listen } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";

test("a certificate is not verified, and a token is sent, only where the rule says so", async () => {
  const authority = await createAuthority("unknown-ca");
  const { cert, key } = await issue(authority, "CN=pod", { usage: "server", hosts: ["10.0.0.1"] });
  const tokens: unknown[] = [];
  const { port, close } = await listen(
    createServer({ cert, key }, ({ headers }, response) => {
      tokens.push(headers.authorization);
      response.end("a 1\n");
    }),
  );
  const tls = { ca: undefined, insecureSkipVerify: false };
  const fetcher = createPageFetcher({ clock: systemClock, maxBytes: 100, userAgent: "test", tls });
  onTestFinished(async () => {
    await fetcher.close();
    await close();
  });
  const pod = { key: "a", pod: "web-1", isReady: true, container: "main", path: "/" };
  const read = (access?: { readonly authorization?: string; readonly insecureSkipVerify: boolean }) =>
    fetcher.fetch({ ...pod, origin: `https://127.0.0.1:${port}`, access }, 5000, {
      start: () => {},
      push: () => true,
    });
  await expect(read()).rejects.toThrow("certificate");
  await read({ authorization: "Bearer t", insecureSkipVerify: true });
  await read({ insecureSkipVerify: true });
  await expect(read()).rejects.toThrow("certificate");
  expect(tokens).toEqual(["Bearer t", undefined]);
});
