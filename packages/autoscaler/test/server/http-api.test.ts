// docs/http-api.md: the paths of the autoscaler.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { guardBy, served } from "./served.ts";

const page = readFileSync(new URL("../../../../docs/http-api.md", import.meta.url), "utf8");
const [, section = ""] = page.split(/^## autoscaler$/m);
const rows = [...section.matchAll(/^\| `(\/[^`]*)` \| (.*?) \|/gm)].map(([, path = "", right = ""]) => ({
  path,
  right,
}));

/** A path of express as the page writes it; a pattern is one path, or all below one. */
function written(path: string | RegExp): string {
  return path instanceof RegExp
    ? path.source.replace("^", "").replace("$", "").replaceAll("\\/", "/")
    : path.replaceAll(/:(\w+)/g, "{$1}");
}

interface Layer {
  readonly route?: { readonly path: string | RegExp | readonly (string | RegExp)[] };
}

test("the page has every path that express routes to the autoscaler's endpoints, and no other", async () => {
  const { app } = await served({ page: new Map() });
  const { stack } = app.router as unknown as { readonly stack: readonly Layer[] };
  const routed = stack.flatMap(({ route }) => route?.path ?? []).map(written);
  expect(routed.length).toBeGreaterThan(20);
  expect(rows.map(({ path }) => path).toSorted()).toEqual([...new Set(routed)].toSorted());
});

test("of the paths only those without a right are served to a caller who may do nothing", async () => {
  const { url } = await served({ guard: guardBy(() => false), page: new Map() });
  for (const { path, right } of rows) {
    if (path.startsWith("/console")) continue;
    const target = path
      .replace("{namespace}", "default")
      .replace("{resource}", "workloadautoscalers")
      .replace("{name}", "shop");
    const { status } = await fetch(`${url}${target}`);
    // Health is open by a flag, which is not set here.
    const isOpen = right === "none" && !/^\/(?:healthz|livez|readyz)$/.test(path);
    expect({ path, status }).toEqual({ path, status: isOpen ? 200 : 403 });
  }
});
