// Just enough of an API server to gather from and to act on, with every request on record and any response scripted.
import type { Clock } from "@plimsoll/component-base";
import { ConnectionError, type KubeClient } from "@plimsoll/kube";
import { createByteStream, inProcessClient } from "@plimsoll/kube/testing";
import { type Answer, serveHttp } from "./api/http.ts";
import { createObjects } from "./api/objects.ts";
import { place } from "./api/resources.ts";
import { notFound, type Reply } from "./api/responses.ts";
import { answer, type Recorded, type Scaled } from "./api/unscripted.ts";

export type { FakeObject } from "./api/objects.ts";
export { conflict, failure, type Reply } from "./api/responses.ts";
export type { Recorded, Scaled } from "./api/unscripted.ts";

interface Script {
  readonly method: string;
  readonly path: RegExp;
  times: number;
  readonly reply: (request: Recorded) => Reply | undefined | Promise<Reply | undefined>;
}

export type FakeApi = Awaited<ReturnType<typeof startFakeApi>>;

/** `nowMs`: what the API server takes for the time. */
export async function startFakeApi(nowMs: () => number = Date.now) {
  const objects = createObjects();
  const requests: Recorded[] = [];
  const scaled: Scaled[] = [];
  const scripts: Script[] = [];
  const metrics = new Map<string, unknown>();
  const groups = new Set([
    "metrics.k8s.io/v1beta1",
    "custom.metrics.k8s.io/v1beta2",
    "external.metrics.k8s.io/v1beta1",
  ]);
  const stage = { objects, metrics, groups, scaled, nowMs };
  const http = await serveHttp(respond);
  const { put, get, list, remove, cutWatches, restore } = objects;

  return {
    ...http,
    client,
    requests,
    scaled,
    metrics,
    groups,
    put,
    get,
    list,
    remove,
    cutWatches,
    restore,
    script,
    count,
  };

  /** The next `times` requests that match get this response; undefined lets one through after all. */
  function script(method: string, path: RegExp, answer: Script["reply"], times = 1): void {
    scripts.push({ method, path, times, reply: answer });
  }

  function count(method: string, path: RegExp): number {
    return requests.filter((request) => request.method === method && path.test(request.path)).length;
  }

  /** A client without sockets, whose timeouts pass on the clock. */
  function client(agent: string, clock: Clock): KubeClient {
    return inProcessClient({
      clock,
      async respond(request) {
        const answered = await respond({ ...request, agent });
        if (typeof answered !== "function") {
          if (answered.send !== undefined) throw new Error("this response needs a client over HTTP");
          return answered;
        }
        const stream = createByteStream();
        const destroy = () => stream.fail(new ConnectionError("reset", "the watch was cut"));
        stream.onClose(answered({ write: stream.write, destroy }));
        return { code: 200, stream };
      },
    });
  }

  async function respond(recorded: Recorded): Promise<Answer> {
    requests.push(recorded);
    const { method, path, query } = recorded;
    const found = scripts.find((one) => one.times > 0 && one.method === method && one.path.test(path));
    if (found !== undefined) {
      found.times -= 1;
      const scripted = await found.reply(recorded);
      if (scripted !== undefined) return scripted;
    }
    if (!["true", "1"].includes(query.get("watch") ?? "")) return answer(recorded, stage);
    const at = place(path);
    if (at === undefined) return notFound();
    const since = Number(query.get("resourceVersion") ?? "0");
    return objects.checkWatch(since) ?? ((sink) => objects.watch(at, since, sink));
  }
}
