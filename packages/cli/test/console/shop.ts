// The cluster of the tests of the console: one autoscaler's object, and what a page gets of it.
import { expect } from "vitest";
import type { Got } from "./client.ts";

/** A credential that may be seen nowhere. */
export const canary = "canary-token-7c1d";
export const summary = "/apis/decisions/v1/summary";
export const shop = "/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/shop";

export function parsed(got: Got): unknown {
  const { code, headers, text } = got;
  expect({ code, type: headers["content-type"], text }).toEqual({
    code: 200,
    type: "application/json; charset=utf-8",
    text,
  });
  return JSON.parse(got.text);
}
