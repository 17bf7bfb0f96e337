import type { KubeRequest } from "@plimsoll/kube";
import type { FakeKube } from "./fakes.ts";
import type { Pki } from "./harness.ts";

export interface FakeConfigMap {
  /** What was listed and watched. */
  readonly requests: KubeRequest[];
  /** Changes the object for those who watch it. */
  set(data: Record<string, string>): void;
}

export function authenticationData(pki: Pick<Pki, "clientCa" | "proxyCa">): Record<string, string> {
  return {
    "client-ca-file": pki.clientCa.pem,
    "requestheader-client-ca-file": pki.proxyCa.pem,
    "requestheader-allowed-names": '["front-proxy-client"]',
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
  };
}

/** kube-system/extension-apiserver-authentication as kube-apiserver lists and watches it. */
export function serveConfigMap(kube: FakeKube, initial: Record<string, string> | undefined): FakeConfigMap {
  const requests: KubeRequest[] = [];
  let version = 1;
  let data = initial;
  const pushes = new Set<(line: string) => void>();

  const object = (): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "extension-apiserver-authentication",
      namespace: "kube-system",
      resourceVersion: String(version),
    },
    data,
  });

  kube.onOther = async (request) => {
    requests.push(request);
    if (!request.path.endsWith("/configmaps")) {
      throw new Error(`unexpected request for ${request.path}`);
    }
    return {
      apiVersion: "v1",
      kind: "ConfigMapList",
      metadata: { resourceVersion: String(version) },
      items: data === undefined ? [] : [object()],
    };
  };
  kube.onStream = async (request) => {
    requests.push(request);
    return watch(pushes, request.signal);
  };
  return {
    requests,
    set: (next) => {
      const type = data === undefined ? "ADDED" : "MODIFIED";
      data = next;
      version++;
      for (const push of pushes) {
        push(`${JSON.stringify({ type, object: object() })}\n`);
      }
    },
  };
}

async function* watch(
  pushes: Set<(line: string) => void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const lines: string[] = [];
  let wake = (): void => {};
  const push = (line: string): void => {
    lines.push(line);
    wake();
  };
  pushes.add(push);
  signal?.addEventListener("abort", () => wake());
  try {
    for (;;) {
      if (signal?.aborted === true) {
        return;
      }
      const line = lines.shift();
      if (line === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else {
        yield Buffer.from(line);
      }
    }
  } finally {
    pushes.delete(push);
  }
}
