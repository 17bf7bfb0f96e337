import { ApiError, type KubeClient, type KubeRequest } from "@plimsoll/kube";

export interface FakeClient extends KubeClient {
  readonly requests: readonly KubeRequest[];
}

/** A client whose answers a function makes up; what it throws is thrown. */
export function fakeClient(answer: (request: KubeRequest) => unknown): FakeClient {
  const requests: KubeRequest[] = [];
  return {
    server: "https://fake",
    requests,
    async request<T>(request: KubeRequest): Promise<T> {
      requests.push(request);
      return (await answer(request)) as T;
    },
    stream: () => Promise.reject(new Error("no streams here")),
    close: () => Promise.resolve(),
  };
}

export function apiError(code: number, reason = "", retryAfterMs?: number): ApiError {
  return new ApiError({ code, reason, message: `${String(code)} ${reason}`.trim(), retryAfterMs });
}
