// A Prometheus without series, over HTTPS, that remembers who asked.
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { onTestFinished } from "vitest";

export interface EmptyPrometheus {
  readonly url: string;
  readonly caPem: string;
  /** Header `authorization` of the requests, each once. */
  readonly authorizations: ReadonlySet<string | undefined>;
}

/** Ends with the test. */
export async function startEmptyPrometheus(): Promise<EmptyPrometheus> {
  const { certPem, keyPem, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const authorizations = new Set<string | undefined>();
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    authorizations.add(request.headers.authorization);
    const isQuery = request.url?.includes("/query") === true;
    const data = isQuery ? { resultType: "vector", result: [] } : [];
    response.setHeader("content-type", "application/json").end(JSON.stringify({ status: "success", data }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caPem, authorizations };
}
