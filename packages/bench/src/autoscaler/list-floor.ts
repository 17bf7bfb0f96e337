// A baseline: the time of the lists at start, without caches.
import { connect } from "@plimsoll/kube";

interface Page {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly unknown[];
}

/** Seconds for the lists that a start needs, read and parsed page by page by a client that keeps nothing. */
export async function listFloor(kubeconfig: string): Promise<number> {
  const client = await connect({ kubeconfig, userAgent: "floor" });
  const startedMs = performance.now();
  const paths = [
    "/api/v1/pods",
    "/apis/autoscaling/v2/horizontalpodautoscalers",
    "/apis/apps/v1/deployments",
  ];
  await Promise.all(
    paths.map(async (path) => {
      let token: string | undefined;
      do {
        const page: Page = await client.request<Page>({ path, query: { limit: 500, continue: token } });
        token = page.metadata.continue;
      } while (token !== undefined && token !== "");
    }),
  );
  await client.close();
  return (performance.now() - startedMs) / 1000;
}
