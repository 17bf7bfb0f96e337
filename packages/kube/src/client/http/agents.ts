import { redactUrl } from "@plimsoll/core/redact";
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";
import { ConnectionError } from "../api-error.ts";
import type { TlsMaterial } from "../credentials.ts";

/** Connections to one server: one set for the TLS material in use, an older one only while it is still busy. */
export interface Agents {
  for(tls: TlsMaterial): Dispatcher;
  close(): Promise<void>;
}

const connectTimeoutMs = 5000;

/** `proxyUrl`: http, https or socks5. */
export function createAgents(proxyUrl: string | undefined): Agents {
  let current: { readonly key: string; readonly tls: TlsMaterial; readonly agent: Dispatcher } | undefined;
  const retiring = new Set<Dispatcher>();
  let isClosed = false;

  return {
    for(tls) {
      if (isClosed) throw new ConnectionError("closed", "the connection to the API server has been closed");
      if (current?.tls === tls) return current.agent;
      const key = JSON.stringify(tls);
      if (current?.key === key) {
        current = { ...current, tls };
        return current.agent;
      }
      if (current !== undefined) retire(current.agent);
      current = { key, tls, agent: createAgent(tls, proxyUrl) };
      return current.agent;
    },
    async close() {
      isClosed = true;
      const all = [...retiring, ...(current === undefined ? [] : [current.agent])];
      current = undefined;
      await Promise.all(all.map((agent) => agent.destroy()));
    },
  };

  /** What runs on it may end, which a watch does within minutes. */
  function retire(agent: Dispatcher): void {
    retiring.add(agent);
    const done = () => {
      retiring.delete(agent);
    };
    agent.close().then(done, done);
  }
}

function createAgent(tls: TlsMaterial, proxyUrl: string | undefined): Dispatcher {
  // Time limits are the client's, over the whole of a request.
  const common = { keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0, allowH2: false } as const;
  const connect = { ...tls, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 30_000 };
  if (proxyUrl === undefined) return new Agent({ ...common, connect });
  if (proxyUrl.startsWith("socks5"))
    return new Socks5ProxyAgent(proxyUrl.replace(/^socks5h/, "socks5"), { ...common, requestTls: connect });
  if (/^https?:/.test(proxyUrl)) return new ProxyAgent({ ...common, uri: proxyUrl, requestTls: connect });
  throw new ConnectionError("other", `a proxy of this kind is not supported: ${redactUrl(proxyUrl)}`);
}
