import { type KubeRequest, readList } from "@plimsoll/kube";
import { expect, test } from "vitest";

test("reads all pages of a list; a list without items is empty", async () => {
  const pages = [
    { metadata: { continue: "a" }, items: ["one", "two"] },
    { metadata: { continue: "" }, items: ["three"] },
    { items: null },
  ];
  const requests: KubeRequest[] = [];
  const client = {
    request<T>(request: KubeRequest): Promise<T> {
      requests.push(request);
      return Promise.resolve(pages[requests.length - 1] as T);
    },
  };
  const query = { labelSelector: "app=web" };
  expect(await readList(client, "/api/v1/pods", query)).toEqual(["one", "two", "three"]);
  expect(await readList(client, "/api/v1/pods", query)).toEqual([]);
  expect(requests).toMatchObject([
    { path: "/api/v1/pods", query: { labelSelector: "app=web", limit: 500, continue: undefined } },
    { path: "/api/v1/pods", query: { labelSelector: "app=web", limit: 500, continue: "a" } },
    { path: "/api/v1/pods", query: { labelSelector: "app=web", limit: 500, continue: undefined } },
  ]);
});
