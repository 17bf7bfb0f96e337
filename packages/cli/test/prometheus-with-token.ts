// A Prometheus without series, over HTTPS, that remembers who asked.
import { createServer } from "node:https";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { listen } from "@plimsoll/testbed/world";

export interface EmptyPrometheus {
  readonly url: string;
  readonly caPem: string;
  /** Header `authorization` of the requests, each once. */
  readonly authorizations: ReadonlySet<string | undefined>;
  /** Header `x-scope-orgid`, by which servers with several tenants know them. */
  readonly tenants: ReadonlySet<string | undefined>;
}

/** Ends with the test. */
export async function startEmptyPrometheus(): Promise<EmptyPrometheus> {
  const { certPem, keyPem, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const authorizations = new Set<string | undefined>();
  const tenants = new Set<string | undefined>();
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    authorizations.add(request.headers.authorization);
    tenants.add(request.headers["x-scope-orgid"]?.toString());
    const isQuery = request.url?.includes("/query") === true;
    const data = isQuery ? { resultType: "vector", result: [] } : [];
    response.setHeader("content-type", "application/json").end(JSON.stringify({ status: "success", data }));
  });
  return { url: `https://${(await listen(server)).host}`, caPem, authorizations, tenants };
}
