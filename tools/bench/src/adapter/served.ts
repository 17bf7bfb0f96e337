// The body of a response, once it is served.
import { until } from "@plimsoll/testbed";
import { get } from "./adapters.ts";
import type { Pki } from "./pki.ts";

/** An adapter that has just started may not have listed its pods yet. @throws when it does not respond with 200 in time */
export async function servedBody(port: number, pki: Pki, path: string): Promise<string> {
  return await until(`200 for ${path}`, async () => {
    const { code, body } = await get(port, pki, path);
    if (code !== 200) throw new Error(`${code} ${body}`);
    return body;
  });
}
