// The process that watches the pods of a server with a small heap: what it prints is what it kept.
import { connect, createReflector, type KubeObject } from "@plimsoll/kube";

/** Ends when the server shows a pod of this name. */
export const lastPod = "last";

export async function watchPods(kubeconfig: string): Promise<void> {
  const reflector = createReflector<KubeObject>({
    client: await connect({ kubeconfig, userAgent: "test" }),
    path: "/api/v1/pods",
    project({ metadata: { name, namespace = "", uid = "", resourceVersion = "", labels = {} } }) {
      return { metadata: { name, namespace, uid, resourceVersion, labels } };
    },
    onError: (error) => console.error(error),
    onLeftOut: () => undefined,
  });
  const ended = new Promise<void>((resolve) => {
    reflector.subscribe(({ object }) => {
      if (object.metadata.name === lastPod) resolve();
    });
  });
  reflector.start();
  await ended;
  const reasons: Record<string, number> = {};
  for (const { reason } of reflector.leftOut) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const kept: Record<string, number> = {};
  for (const { metadata } of reflector.store.list())
    kept[metadata.namespace ?? ""] = (kept[metadata.namespace ?? ""] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify({ reasons, kept, maxRssKib: process.resourceUsage().maxRSS })}\n`);
  process.exit(0);
}
