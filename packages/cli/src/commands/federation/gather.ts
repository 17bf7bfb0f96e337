// Reads what stands behind the metrics APIs; nothing is written.
import { placeholders } from "@plimsoll/federation";
import { ApiError, type KubeObject, readList, resourcePath } from "@plimsoll/kube";
import type { InstalledAdapter, Registered } from "@plimsoll/migration/federation";
import { type ApiService, namespaceOf } from "@plimsoll/migration/release";
import type { Cluster } from "../../cluster/cluster.ts";
import { CliError } from "../../seams.ts";

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly serviceAccountName?: string;
        readonly containers?: readonly { readonly name?: string; readonly args?: readonly string[] }[];
      };
    };
  };
}

interface Service extends KubeObject {
  readonly spec?: { readonly ports?: readonly { readonly port: number }[] };
}

const ours = "app.kubernetes.io/part-of=plimsoll,app.kubernetes.io/component=metrics-adapter";
const groups: ReadonlySet<string | undefined> = new Set(["custom.metrics.k8s.io", "external.metrics.k8s.io"]);
const injectFrom = "cert-manager.io/inject-ca-from";

/** @throws CliError, ApiError, ConnectionError */
export async function readRegistered(cluster: Cluster): Promise<Registered> {
  const { client } = cluster;
  const registrations = { group: "apiregistration.k8s.io", version: "v1", resource: "apiservices" };
  const [apiServices, deployments, services] = await Promise.all([
    readList<ApiService>(client, resourcePath(registrations), {}),
    readList<Deployment>(client, resourcePath({ group: "apps", version: "v1", resource: "deployments" }), {
      labelSelector: ours,
    }),
    readList<Service>(client, resourcePath({ group: "", version: "v1", resource: "services" }), {
      labelSelector: ours,
    }),
  ]);
  const [deployment, other] = deployments;
  if (deployment === undefined)
    throw new CliError(
      "Plimsoll's metrics adapter isn't in this cluster: install it first, and don't take over the other adapters' APIServices yet (adapter.apiServices.custom=false, adapter.apiServices.external=false)",
    );
  if (other !== undefined)
    throw new CliError(
      `${deployments.map((one) => `${namespaceOf(one)}/${one.metadata.name}`).join(" and ")} are metrics adapters of Plimsoll: remove one, because each metrics API has one owner`,
    );
  const service = services.find((one) => namespaceOf(one) === namespaceOf(deployment));
  if (service === undefined)
    throw new CliError(
      `no Service of the metrics adapter is in ${namespaceOf(deployment)}: create one with the labels ${ours}`,
    );
  const federated = apiServices.filter(({ spec }) => groups.has(spec.group));
  const adapter = adapterOf(deployment, service, apiServices);
  requireUntouched(federated, adapter);
  return { apiServices: federated, listing: await readListing(cluster, federated), adapter };
}

/**
 * The APIService of an adapter that was given to us does not say any more where that adapter is: a file made of the others
 * would take its metrics away. @throws CliError
 */
function requireUntouched(apiServices: readonly ApiService[], { args, service }: InstalledAdapter): void {
  const leadsToUs = ({ spec: { service: to } }: ApiService): boolean =>
    to?.namespace === service.namespace && to.name === service.name;
  const given = apiServices.filter(leadsToUs).map(({ metadata }) => metadata.name);
  const hasBackends = args.some((arg) => /^--federation-config(?:=|$)/.test(arg));
  if (!hasBackends || given.length === 0 || given.length === apiServices.length) return;
  throw new CliError(
    `our adapter has backends, and ${given.join(" and ")} leads to it already: a new plan would replace its file without the adapters that were there. Carry out what is left of the plan that it came from, or add the backend to the file (federation.backends of the chart) by hand`,
  );
}

/** By what the API server itself gets from the adapters. */
async function readListing(
  { client }: Cluster,
  apiServices: readonly ApiService[],
): Promise<ReadonlySet<string>> {
  const listing = new Set<string>();
  for (const { metadata, spec } of apiServices) {
    try {
      const { resources = [] } = await client.request<{
        resources?: readonly { readonly name?: string }[] | null;
      }>({ path: `/apis/${spec.group ?? ""}/${spec.version ?? ""}` });
      const names = (resources ?? []).map(({ name = "" }) => name.split("/").at(-1) ?? "");
      if (names.some((name) => !placeholders.has(name))) listing.add(metadata.name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return listing;
}

function adapterOf(
  deployment: Deployment,
  service: Service,
  apiServices: readonly ApiService[],
): InstalledAdapter {
  const { metadata } = service;
  const namespace = namespaceOf(deployment);
  const own = apiServices.filter(
    ({ spec: { service: to } }) => to?.namespace === namespaceOf(service) && to.name === metadata.name,
  );
  return {
    namespace,
    name: deployment.metadata.name,
    ...podOf(deployment),
    release: deployment.metadata.annotations?.["meta.helm.sh/release-name"],
    service: {
      namespace: namespaceOf(service),
      name: metadata.name,
      port: service.spec?.ports?.[0]?.port ?? 443,
    },
    caBundle: own.find((one) => one.spec.caBundle !== undefined)?.spec.caBundle,
    injectsCaFrom: own
      .map((one) => one.metadata.annotations?.[injectFrom])
      .find((from) => from !== undefined),
  };
}

function podOf({ spec }: Deployment): Pick<InstalledAdapter, "container" | "args" | "serviceAccount"> {
  const pod = spec?.template?.spec;
  const [container] = pod?.containers ?? [];
  return {
    container: container?.name ?? "metrics-adapter",
    args: container?.args ?? [],
    serviceAccount: pod?.serviceAccountName ?? "default",
  };
}
